import AMQP
import Decisions
import JobModel

/// The queues that the broker does not let this worker consume: departments' own queues, and those of kinds. Each is left
/// out by itself, and looked at again ever more slowly. A pure value, by the session's clock.
///
///     refused ─▶ left out ─▶ due, looked at ─▶ accepted
///                   ▲              │
///                   └─ still refused
struct RefusedQueues: Sendable {
  /// What a refusal means for the worker.
  enum Answer: Hashable, Sendable {
    /// The queue is left out, for that reason, in the broker's words. `isNews`: it was not known before.
    case leaveOut(reason: String, isNews: Bool)
    /// The queue comes back by itself, or the whole set-up is wrong: the session decides whether to try again.
    case leaveToSession
  }

  private var refusals = QueueRefusals<JobQueue>()

  /// Why each queue is refused, in the broker's words.
  var reasons: [JobQueue: String] { refusals.reasons }

  /// Notes that the broker refused to let the worker consume a queue. `count`: how many departments the worker has.
  mutating func note(_ error: AMQPError, about queue: JobQueue, ofDepartments count: Int, at now: Duration) -> Answer {
    guard let reason = RefusedQueues.reason(in: error), isAnyLeft(without: queue, of: count) else {
      return .leaveToSession
    }
    return .leaveOut(reason: reason, isNews: refusals.refuse(queue, because: reason, at: now))
  }

  /// Takes in that a look at a refused queue has failed.
  mutating func noteStillRefused(_ queue: JobQueue, at now: Duration) { refusals.noteStillRefused(queue, at: now) }

  /// The queues to look at now, while the worker is to serve the queues of those kinds. The queue of another kind waits
  /// until the worker is to serve it, and is looked at before that: a refusal on the worker's own connection ends it.
  func due(at now: Duration, serving beside: [Department: [JobKind: Int]]) -> [JobQueue] {
    refusals.due(at: now).filter { queue in
      guard let kind = queue.kind else { return true }
      return beside[queue.department]?[kind] != nil
    }
  }

  /// Takes in that the broker lets the worker consume the queue.
  ///
  /// - Returns: Whether it was refused before.
  mutating func accept(_ queue: JobQueue, at now: Duration) -> Bool { refusals.accept(queue, at: now) }

  /// Whether the worker has a department left without that queue. Where the queues of all departments are refused, the
  /// set-up is wrong. Without the queue of a kind the department still has its own.
  private func isAnyLeft(without queue: JobQueue, of count: Int) -> Bool {
    queue.kind != nil || refusals.reasons.keys.count { $0.kind == nil && $0 != queue } + 1 < count
  }

  /// Why the broker refuses a queue, in its words; nil: it does not. A queue that is down, or in the hands of another
  /// connection, comes back.
  private static func reason(in error: AMQPError) -> String? {
    guard case .channelClosed(let code, let text) = error, !error.isTransient, !error.saysQueueIsInUse,
      [AMQPError.accessRefusedCode, AMQPError.notFoundCode, AMQPError.preconditionFailedCode].contains(code)
    else { return nil }
    return text
  }
}
