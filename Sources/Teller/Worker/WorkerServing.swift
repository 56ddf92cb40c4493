import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport
import Logging

/// The worker on one pair of connections: its tasks, its tick, and what the loss of the pair means.
extension WorkerLoop {
  /// Shows how the worker stands, for its metrics.
  func showMetrics(_ broker: BrokerState) {
    guard let metrics else { return }
    metrics.show(broker)
    metrics.show(unconfirmedReports: state.outbox.unconfirmed)
    for (department, count) in state.tellers.counts { metrics.show(tellers: count, of: department) }
  }

  /// Serves on a new pair of connections, until the pair is lost or the task is cancelled; never returns otherwise. For
  /// `ready` see ``WorkerLink/ready``.
  func serveSession(
    _ connections: BrokerConnections, ready: @escaping @Sendable () -> Void
  ) async throws {
    let (link, consuming) = (connected(connections, ready), connections.consuming)
    defer { disconnected(link) }
    // The control queue is consumed first: so a probe is read in order with the deliveries behind it.
    let queue = try await Topology.declareWorkerQueue(
      worker, session: link.session, departments: state.tellers.departments, on: consuming)
    let options = ConsumeOptions(prefetch: WorkerLink.controlPrefetch, consumerTag: WorkerLink.controlTag)
    _ = try await consuming.consume(queue, options: options, into: link.inbox)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try await self.read(link) }
      group.addTask { try await self.announce(link) }
      group.addTask { try await self.publishReports(link) }
      group.addTask { try await self.tellProgress(link) }
      group.addTask { try await self.staff(link) }
      group.addTask { try await self.watchRefused(link) }
      group.addTask { await self.tick(link) }
    }
  }

  private func connected(_ connections: BrokerConnections, _ ready: @escaping @Sendable () -> Void) -> WorkerLink {
    let link = WorkerLink(
      session: state.session + 1, consuming: connections.consuming, publishing: connections.publishing, ready: ready,
      openForTrial: { () async throws(AMQPError) in try await connections.openForTrial() })
    self.link = link
    take(.connected)
    progress.connect(link.progressDue)
    return link
  }

  private func disconnected(_ link: WorkerLink) {
    guard link.session == self.link?.session else { return }
    self.link = nil
    progress.disconnect()
    take(.disconnected)
  }

  private func read(_ link: WorkerLink) async throws {
    while let batch = await link.inbox.nextBatch(atMost: WorkerLink.readLimit) {
      var rest = Rest()
      threads.gathering {
        for delivery in batch { take(.delivered(delivery), &rest) }
      }
      try await settle(rest, on: link.consuming)
    }
    try Task.checkCancellation()
    throw AMQPError.connectionLost(reason: "its deliveries ended")
  }

  private func tick(_ link: WorkerLink) async {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.presenceInterval, clock: .continuous) {
      board.renew(WorkerPart.tick)
      lookForThreads()
      takeFinishedRuns()
      take(.ticked)
    }
  }

  /// Sends a presence each time when one is due. A presence is made when it is sent, so it lists every delivery that
  /// was read before the probe that it repeats. None is sent after the goodbye: the coordinator would welcome the
  /// worker again.
  private func announce(_ link: WorkerLink) async throws {
    for await _ in link.presenceDue.raised where state.end == nil {
      // Its pulse comes back by the control queue: that shows that this worker is heard, and hears. It counts from now on, also
      // if the presence before it has to wait for room.
      take(.sentPulse)
      let pulse = ControlCodec.pulse(state.pulsesSent, to: worker)
      try await link.publishing.publish(PresenceCodec.encode(presence(isGoodbye: false)))
      board.renew(WorkerPart.presence)
      try await link.publishing.publish(pulse)
    }
  }

  func presence(isGoodbye: Bool) -> Presence {
    state.presence(isGoodbye: isGoodbye, stuck: stuckTellers, at: .now)
  }
}
