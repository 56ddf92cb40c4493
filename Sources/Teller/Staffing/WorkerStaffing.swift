import AMQP
import JobModel
import JobTransport
import Logging

/// What a worker consumes: once it is welcomed, as its departments are staffed, and nothing when it drains.
extension WorkerLoop {
  /// Makes and cancels the departments' consumers, whenever they may be others than they should.
  func staff(_ link: WorkerLink) async throws {
    for await _ in link.staffingDue.raised {
      // A welcome that comes in the middle raises the signal again.
      let wasWelcomed = isWelcomed
      while let step = tellers.nextStep(isOpen: isWelcomed && !isDraining) { try await take(step, on: link) }
      try await settleAdopted(on: link)
      if wasWelcomed, isWelcomed { sayThatItIsReady(link) }
      endIfDrained()
    }
  }

  private func take(_ step: DepartmentPool.Step, on link: WorkerLink) async throws {
    switch step {
    case .consume(let department, let kind, let tag, let prefetch):
      let options = ConsumeOptions(prefetch: UInt16(clamping: prefetch), consumerTag: tag)
      let queue = Topology.Queue.assignments(JobQueue(department, kind: kind))
      _ = try await link.consuming.consume(queue, options: options, into: link.inbox)
    case .cancel(let tag):
      try await link.consuming.cancel(tag)
      // Back to the queue, for other workers: what waits for a teller. What is claimed stays: the coordinator may have
      // granted it by now, and a granted claim that nobody runs is an attempt used up.
      try await Settlements(returns: tellers.ended(tag)).settle(on: link.consuming)
    }
  }

  private func settleAdopted(on link: WorkerLink) async throws {
    let tags = adoptedTags
    adoptedTags = []
    try await Settlements(acks: tags).settle(on: link.consuming)
  }

  /// What the coordinator wants this worker to serve.
  func receive(_ staffing: Staffing, _ settlements: inout Settlements) {
    let before = (tellers.counts, tellers.paused, tellers.beside)
    tellers.staff(staffing)
    guard before != (tellers.counts, tellers.paused, tellers.beside) else { return }
    guard before.0 != tellers.counts || before.1 != tellers.paused else {
      // Only which queues they serve: that changes often while workers are being replaced.
      link?.staffingDue.raise()
      return
    }
    threads.grow(tellers: tellers.counts.values.reduce(0, +))
    if saidItIsReady, !isDraining { logger.notice("serves from now on: \(staffText)") }
    for department in tellers.departments { serveWaiting(in: department, &settlements) }
    link?.staffingDue.raise()
    link?.presenceDue.raise()
  }

  private func sayThatItIsReady(_ link: WorkerLink) {
    guard !saidItIsReady, !isDraining else { return }
    saidItIsReady = true
    link.ready()
    logger.info("ready: \(staffText)")
  }

  private var staffText: String {
    let paused = Set(tellers.paused)
    return tellers.counts.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)\(paused.contains($0.key) ? " (paused)" : "")" }
      .joined(separator: " ")
  }
}
