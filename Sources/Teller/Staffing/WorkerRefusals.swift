import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport
import Logging

/// Leaves out the queues that the broker refuses, and serves all others. The worker looks at a refused queue again on a
/// connection of its own, which a refusal ends.
extension WorkerLoop {
  /// How often the worker looks whether a refused queue is due.
  static let refusedInterval: Duration = .seconds(1)

  /// Notes a refusal of a queue. The refusal ends the connection; on the next one the queue is left out.
  func noteRefusal(of queue: JobQueue, _ error: AMQPError, on link: WorkerLink) {
    let answer = refused.note(error, about: queue, ofDepartments: tellers.departments.count, at: SessionClock.now)
    guard case .leaveOut(let reason, let isNews) = answer else { return }
    tellers.setRefused(queue, true)
    link.ready()
    guard isNews else { return }
    var metadata = queue.metadata
    metadata["reason"] = "\(reason)"
    logger.error(
      """
      the broker refuses the queue of a \(queue.sort), which this worker leaves out; it serves the others, and tries \
      again
      """,
      metadata: metadata)
  }

  /// Looks at the refused queues, each in its time.
  func watchRefused(_ link: WorkerLink) async throws {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.refusedInterval, clock: .continuous) {
      for queue in refused.due(at: SessionClock.now, serving: tellers.beside) { await lookAtRefused(queue, link) }
    }
  }

  private func lookAtRefused(_ queue: JobQueue, _ link: WorkerLink) async {
    do throws(AMQPError) {
      try await tryToConsume(queue, link)
    } catch {
      return refused.noteStillRefused(queue, at: SessionClock.now)
    }
    guard refused.accept(queue, at: SessionClock.now) else { return }
    tellers.setRefused(queue, false)
    logger.notice("the broker lets the queue of a \(queue.sort) be consumed again", metadata: queue.metadata)
    link.staffingDue.raise()
  }

  private func tryToConsume(_ queue: JobQueue, _ link: WorkerLink) async throws(AMQPError) {
    let connection = try await link.openForTrial()
    do throws(AMQPError) {
      _ = try await connection.consume(Topology.Queue.assignments(queue), options: ConsumeOptions(prefetch: 1))
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
  }
}

extension JobQueue {
  /// What the queue is of, for a sentence.
  fileprivate var sort: String { kind == nil ? "department" : "kind" }

  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["department": "\(department)"]
    if let kind { metadata["kind"] = "\(kind)" }
    return metadata
  }
}
