import AMQP
import Logging
import AsyncAlgorithms
import JobModel
import JobTransport

/// What a worker says of itself, and what it consumes once it is welcomed.
extension WorkerLoop {
  /// Sends a presence whenever one is due. Each is made when it is sent: it lists what was read before any probe that it
  /// repeats. None after the goodbye: the coordinator would welcome this worker again, and wait for it.
  func announce(_ link: WorkerLink) async throws {
    for await _ in link.presenceDue.raised where end == nil {
      try await link.publishing.publish(PresenceCodec.encode(presence(isGoodbye: false)))
      board.renew(WorkerPart.presence)
      // Whether it comes back tells whether this worker hears at all.
      try await link.publishing.publish(ControlCodec.pulse(to: worker))
    }
  }

  func presence(isGoodbye: Bool) -> Presence {
    Presence(
      worker: worker, session: session, name: name,
      tellers: Dictionary(uniqueKeysWithValues: tellers.counts.map { ($0.key.name, $0.value) }),
      ledger: isWelcomed ? ledger : nil, probe: tray.probe, running: isGoodbye ? [] : tray.listed,
      isGoodbye: isGoodbye)
  }

  /// Makes the departments' consumers when the worker is welcomed, and cancels them when it drains.
  func staff(_ link: WorkerLink) async throws {
    for await _ in link.staffingDue.raised {
      if isDraining {
        try await cancelConsumers(link)
        try await giveBackWaiting(link)
        endIfDrained()
      } else if isWelcomed, consumed.isEmpty {
        try await consumeDepartments(link)
      }
    }
  }

  private func consumeDepartments(_ link: WorkerLink) async throws {
    for (department, tellers) in tellers.counts.sorted(by: { $0.key < $1.key }) {
      let tag = WorkerLink.tag(of: department)
      // Noted first: deliveries may come before this task hears that they will.
      consumed[tag] = department
      let options = ConsumeOptions(prefetch: UInt16(clamping: tellers), consumerTag: tag)
      _ = try await link.consuming.consume(Topology.Queue.department(department), options: options, into: link.inbox)
    }
    let staff = tellers.counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    logger.info("ready: \(staff)")
  }

  private func cancelConsumers(_ link: WorkerLink) async throws {
    for tag in consumed.keys.sorted() {
      try await link.consuming.cancel(tag)
      consumed[tag] = nil
    }
  }

  /// Back to the queue, for other workers: deliveries that wait for a teller. What is claimed stays: the coordinator may
  /// have granted it by now, and a granted claim that nobody runs is an attempt used up.
  private func giveBackWaiting(_ link: WorkerLink) async throws {
    try await Settlements(returns: tellers.dismissWaiting()).settle(on: link.consuming)
  }
}
