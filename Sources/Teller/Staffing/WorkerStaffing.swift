import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The consumers of a worker: as its departments are staffed, once it is welcomed; none when it drains.
extension WorkerLoop {
  /// Makes and cancels the departments' consumers, each time when they may have to change.
  func staff(_ link: WorkerLink) async throws {
    for await _ in link.staffingDue.raised {
      // A welcome that comes in the middle raises the signal again.
      let wasWelcomed = isWelcomed
      while let step = tellers.nextStep(isConsuming: isWelcomed && !isDraining) { try await carryOut(step, on: link) }
      try await ackAdopted(on: link)
      if wasWelcomed, isWelcomed { logReady(link) }
      endIfDrained()
    }
  }

  private func carryOut(_ step: DepartmentPool.Step, on link: WorkerLink) async throws {
    switch step {
    case .consume(let department, let kind, let tag, let prefetch):
      let options = ConsumeOptions(prefetch: UInt16(clamping: prefetch), consumerTag: tag)
      let queue = JobQueue(department, kind: kind)
      do throws(AMQPError) {
        _ = try await link.consuming.consume(Topology.Queue.assignments(queue), options: options, into: link.inbox)
        noteBegin(ofConsumer: tag, in: department)
      } catch {
        noteRefusal(of: queue, error, on: link)
        throw error
      }
    case .cancel(let tag):
      try await link.consuming.cancel(tag)
      // Deliveries that wait for a teller go back to the queue, for other workers. A claimed release stays: the
      // coordinator may have granted the claim by now, and a granted claim without a run uses up an attempt.
      let waiting = tellers.ended(tag)
      // Before that: a presence that lists them afterwards would keep another worker from them.
      for delivery in waiting { tray.handBack(delivery.assignment.release, tag: delivery.tag) }
      try await Acknowledgements(returns: waiting.map(\.tag)).send(on: link.consuming)
    }
  }

  private func ackAdopted(on link: WorkerLink) async throws {
    let tags = tagsToAck
    tagsToAck = []
    try await Acknowledgements(acks: tags).send(on: link.consuming)
  }

  func receive(_ staffing: Staffing, _ acknowledgements: inout Acknowledgements) {
    if staffing.isToDrain, !isDraining {
      logger.notice("told to drain by an operator")
      drain()
    }
    let (before, ahead) = ((tellers.counts, tellers.paused, tellers.beside), tellers.orderedAhead)
    tellers.staff(staffing)
    if ahead != tellers.orderedAhead {
      link?.staffingDue.raise()
      link?.presenceDue.raise()
    }
    guard before != (tellers.counts, tellers.paused, tellers.beside) else { return }
    guard before.0 != tellers.counts || before.1 != tellers.paused else {
      // Only the queues of kinds have changed: that is frequent while workers are being replaced.
      link?.staffingDue.raise()
      return
    }
    threads.grow(tellers.counts)
    showWhetherOpen()
    if hasLoggedReady, !isDraining { logger.notice("serves from now on: \(staffText)") }
    for department in tellers.departments {
      giveTellersBack(in: department)
      serveWaiting(in: department, &acknowledgements)
    }
    link?.staffingDue.raise()
    link?.presenceDue.raise()
  }

  private func logReady(_ link: WorkerLink) {
    guard !hasLoggedReady, !isDraining else { return }
    hasLoggedReady = true
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
