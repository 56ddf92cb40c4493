import AMQP
import JobModel
import Synchronization

/// When a submission may go to the coordinator's early queue, where it overtakes the durable queue: only while the coordinator
/// has read all earlier ones of this client. So no submission of a client overtakes another one.
///
/// The coordinator reads the submissions of a client in their order. So it has read all once it has replied to the last one.
final class SubmissionTurns: Sendable {
  private enum Standing {
    case allRead
    /// For a reply to the last submission; nil: none will come.
    case awaitsReply(JobID?)
    /// The broker does not let this user write to the early queue.
    case refused
  }

  private struct State {
    /// The submissions of an earlier client of this program may not have been read either.
    var standing = Standing.awaitsReply(nil)
    /// For the reply to a submission in the early queue.
    var waiter: Waiter?
    var pause = EarlyPause()

    mutating func takeWaiter(for job: JobID) -> Waiter? {
      guard waiter?.job == job else { return nil }
      return waiter.take()
    }
  }

  private struct Waiter {
    let job: JobID
    let tell: @Sendable (Bool) -> Void
  }

  /// The user may not write to the exchange; a coordinator of an earlier version has not declared it.
  private static let refusals: Set<UInt16> = [AMQPError.accessRefusedCode, AMQPError.notFoundCode]

  private let state = Mutex(State())

  /// Notes that submissions leave. `last`: the last one, if it is certain to be answered.
  ///
  /// - Returns: whether it may overtake the durable queue.
  func submitting(last: JobID?, at now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      switch state.standing {
      case .refused: return false
      case .awaitsReply:
        state.standing = .awaitsReply(last)
        return false
      case .allRead:
        state.standing = .awaitsReply(last)
        return !state.pause.lasts(at: now)
      }
    }
  }

  /// Has `tell` told, once, whether the coordinator has replied to a submission in the early queue.
  func awaitReply(to job: JobID, _ tell: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.waiter = Waiter(job: job, tell: tell) }
  }

  /// The coordinator has replied to a submission.
  func replied(to job: JobID) {
    let waiter = state.withLock { state in
      if case .awaitsReply(job) = state.standing { state.standing = .allRead }
      let waiter = state.takeWaiter(for: job)
      if waiter != nil { state.pause.noteAnswer() }
      return waiter
    }
    waiter?.tell(true)
  }

  /// The coordinator has not replied in time.
  func giveUp(_ job: JobID, at now: ContinuousClock.Instant) {
    let waiter = state.withLock { state in
      let waiter = state.takeWaiter(for: job)
      if waiter != nil { state.pause.noteSilence(at: now) }
      return waiter
    }
    waiter?.tell(false)
  }

  /// A connection to submit on has ended, or has refused a message.
  func ended(_ error: AMQPError) {
    guard case .channelClosed(let code, _) = error, SubmissionTurns.refusals.contains(code) else { return }
    state.withLock { $0.standing = .refused }
  }
}
