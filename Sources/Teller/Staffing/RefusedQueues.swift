import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging

/// Departments whose queue the broker does not let this worker consume. The worker serves its other departments, and looks
/// again, on a connection of its own, which a refusal ends.
extension WorkerLoop {
  /// How often the worker looks whether a refused queue is due.
  static let refusedInterval: Duration = .seconds(1)

  /// Notes a refusal of a department's queue. The refusal ends the connection; on the next one the department is left out.
  func noteRefusal(of department: Department, _ error: AMQPError, on link: WorkerLink) {
    // A queue that is down, or in the hands of another one, comes back.
    guard case .channelClosed(let code, let text) = error, !error.isTransient, !error.saysQueueIsInUse,
      [AMQPError.accessRefusedCode, AMQPError.notFoundCode, AMQPError.preconditionFailedCode].contains(code)
    else { return }
    let isNews = refused.refuse(department, because: text, at: SessionClock.now)
    // Where all are refused, the set-up is wrong: that is for the session to decide.
    guard refused.reasons.count < tellers.departments.count else {
      _ = refused.accept(department, at: SessionClock.now)
      return
    }
    tellers.setRefused(department, true)
    link.ready()
    if !isNews { return }
    logger.error(
      "the broker refuses the queue of a department, which this worker leaves out; it serves the others, and tries again",
      metadata: ["department": "\(department)", "reason": "\(text)"])
  }

  /// Looks at the refused queues, each in its time.
  func watchRefused(_ link: WorkerLink) async throws {
    for await _ in AsyncTimerSequence(interval: WorkerLoop.refusedInterval, clock: .continuous) {
      for department in refused.due(at: SessionClock.now) { await lookAtRefused(department, link) }
    }
  }

  private func lookAtRefused(_ department: Department, _ link: WorkerLink) async {
    do throws(AMQPError) {
      let connection = try await link.openForTrial()
      do throws(AMQPError) {
        let queue = Topology.Queue.department(department)
        _ = try await connection.consume(queue, options: ConsumeOptions(prefetch: 1))
        await connection.close()
      } catch {
        await connection.close()
        throw error
      }
    } catch {
      _ = refused.refuse(department, because: refused.reasons[department] ?? error.cause, at: SessionClock.now)
      return
    }
    guard refused.accept(department, at: SessionClock.now) else { return }
    tellers.setRefused(department, false)
    logger.notice(
      "the broker lets the queue of a department be consumed again", metadata: ["department": "\(department)"])
    link.staffingDue.raise()
  }
}
