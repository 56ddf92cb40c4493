import AMQP
import JobModel
import JobTransport
import Synchronization

/// When a submission may go to the coordinator's early queue, where it overtakes the durable queue: only while the coordinator
/// has read all earlier ones of this client. So no submission of a client overtakes another one that was submitted before it.
///
/// The coordinator reads the submissions of a client in their order. So it has read all once it replies to one that left when
/// no other was on its way, and behind which none has left:
///
///     begin(A) ── A leaves ── the broker has it: end() ── reply to A ── all is read
///     begin(A) ── begin(B) ── end() ── end() ── reply to A, or to B ── the other may not be read yet
final class SubmissionTurns: Sendable {
  private enum Standing {
    case allRead
    /// For a reply to this submission; nil: no reply would show that all is read.
    case awaitsReply(JobID?)
  }

  private struct State {
    /// The submissions of an earlier client of this program may not have been read either.
    var standing = Standing.awaitsReply(nil)
    /// How many sends have begun and not ended. Each has one or more messages, and may send them again.
    var underWay = 0
    /// The broker does not let this user write to the early queue.
    var isRefused = false
    /// For the reply to a submission in the early queue.
    var waiter: Waiter?
    var waiters = 0
    var pause = EarlyPause()

    mutating func takeWaiter(where isMeant: (Waiter) -> Bool) -> Waiter? {
      guard let waiter, isMeant(waiter) else { return nil }
      self.waiter = nil
      return waiter
    }
  }

  private struct Waiter {
    let number: Int
    let job: JobID
    let tell: @Sendable (Bool) -> Void
    var timer: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Submissions begin to leave; ``end()`` is to be called when they have left, or will not. `last`: the last one, if the
  /// coordinator answers it.
  ///
  /// - Returns: whether they may overtake the durable queue.
  func begin(last: JobID?, at now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      let isAlone = state.underWay == 0
      defer {
        state.underWay += 1
        state.standing = .awaitsReply(isAlone ? last : nil)
      }
      guard isAlone, case .allRead = state.standing else { return false }
      return !state.isRefused && !state.pause.lasts(at: now)
    }
  }

  /// The broker, or the coordinator, has what has begun to leave; or it is given up.
  func end() { state.withLock { $0.underWay -= 1 } }

  /// Has `tell` told, once, whether the coordinator has replied to a submission in the early queue within a limit. There is
  /// one at a time.
  func awaitReply(
    to job: JobID, within limit: Duration = EarlyPause.patience, _ tell: @escaping @Sendable (Bool) -> Void
  ) {
    let number = state.withLock { state in
      state.waiters += 1
      state.waiter = Waiter(number: state.waiters, job: job, tell: tell)
      return state.waiters
    }
    // The waiter is there first: this thread may stand still for longer than the limit.
    let timer = Task.detached {
      try await Task.sleep(for: limit)
      self.giveUp(number, at: .now)
    }
    let isOver = state.withLock { state in
      guard state.waiter?.number == number else { return true }
      state.waiter?.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }

  /// The coordinator has replied to a submission.
  func replied(to job: JobID) {
    let waiter = state.withLock { state in
      if case .awaitsReply(job) = state.standing { state.standing = .allRead }
      let waiter = state.takeWaiter { $0.job == job }
      if waiter != nil { state.pause.noteAnswer() }
      return waiter
    }
    waiter?.timer?.cancel()
    waiter?.tell(true)
  }

  private func giveUp(_ number: Int, at now: ContinuousClock.Instant) {
    let waiter = state.withLock { state in
      let waiter = state.takeWaiter { $0.number == number }
      if waiter != nil { state.pause.noteSilence(at: now) }
      return waiter
    }
    waiter?.tell(false)
  }

  /// A connection to submit on has ended. Where it ended for an early submission, none goes there any more; or, where the
  /// exchange is gone, none before a coordinator has replied to another one.
  func met(_ error: AMQPError) {
    guard EarlyCodec.isRefusal(error) else { return }
    state.withLock { state in
      state.standing = .awaitsReply(nil)
      if case .channelClosed(code: AMQPError.accessRefusedCode, _) = error { state.isRefused = true }
    }
  }
}
