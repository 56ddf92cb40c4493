package import JobModel

/// What follows for a job when it is certain that no worker runs its release. `interrupted`: the number of the attempt
/// that was cut short, if one was.
///
///     a worker's claim is concluded ──▶ goesOn: it is granted
///     the coordinator's own is ──────▶ goesOn: it is released as a new message
///                                  └─▶ waitsInLine, ends
package enum Resumption: Hashable, Sendable {
  case goesOn(interrupted: Int?)
  /// The job may have ended workers: it is held in the line of its department.
  case waitsInLine(interrupted: Int?)
  case ends(Outcome, interrupted: Int?)
  case nothing
}

extension LiveJob {
  /// A worker's claim of the current release is concluded. `now` is the ledger's time; `isLastUnheard`: the answer to
  /// the last grant was lost on its way, so nothing has begun, and no attempt is used up; `mayStart`: no other suspect
  /// runs on the worker.
  package mutating func concludeClaim(at now: Timestamp, isLastUnheard: Bool, mayStart: Bool) -> Resumption {
    let wasStarted = progress.wasStarted && !isLastUnheard
    if isTooLate(at: now, wasStarted: wasStarted) { return resume(by: .failed(.tooLate()), wasStarted) }
    if progress.isSuspect, !wasStarted, !mayStart { return resume(by: .sentBack, wasStarted) }
    return resume(by: isLastUnheard ? .claimGrantedAnew : .claimGranted, wasStarted)
  }

  /// The coordinator's own claim of the current release is concluded. With `isLastUnheard` the worker of the last grant
  /// lives, and does not run it: no attempt is used up, and there is no death. But of a release that is lost, the report
  /// may be lost, too: what may run at most once is at its end.
  package mutating func releaseAnew(because event: JobTransition, isLastUnheard: Bool) -> Resumption {
    let isUnbegun = isLastUnheard && (event == .withdrawn || event == .foundLost && progress.maxAttempts > 1)
    return resume(by: isUnbegun ? .withdrawnUnbegun : event, progress.wasStarted && !isUnbegun)
  }

  private mutating func resume(by event: JobTransition, _ wasStarted: Bool) -> Resumption {
    switch progress.apply(event) {
    case .grant(let interrupted), .release(let interrupted): .goesOn(interrupted: interrupted)
    case .withhold(let interrupted): .waitsInLine(interrupted: interrupted)
    case .finish(let outcome): .ends(outcome, interrupted: wasStarted ? progress.attempt : nil)
    case .hold, .attemptFailed, .snooze, .ignore, .show: .nothing
    }
  }
}

/// What a worker's report is for its job.
package enum Reported: Hashable, Sendable {
  case ended(Outcome)
  /// The attempt failed, and the job is tried again: at once, or after that time.
  case failed(attempt: Int, JobFailure, again: Duration?)
  /// The handler wants to run again after that time.
  case snoozed(Duration)
  /// The report's token was replaced by a later one, or the job has ended.
  case stale
}

extension LiveJob {
  /// A worker reports the end of an attempt. `retry` is how the coordinator's file says to wait before the next one, if
  /// it says so; else the worker's hint says it; else the defaults do; and it is never less than the hint's
  /// ``RetryHint/atLeast``. `random` from 0 to 1 is for the jitter;
  /// `mustWait`: nothing can be released at once.
  package mutating func report(
    token: Int, _ result: AttemptResult, hint: RetryHint? = nil, _ retry: RetrySettings?, random: Double,
    mustWait: Bool
  ) -> Reported {
    if token == progress.token { _ = progress.settle(attempts: hint?.attempts) }
    switch progress.apply(.reported(token: token, result)) {
    case .finish(let outcome): return .ended(outcome)
    case .snooze(let time): return .snoozed(time)
    case .attemptFailed(let attempt, let failure):
      let delay = LiveJob.delay(afterAttempt: attempt, hint, retry, random)
      if delay > .zero || mustWait || progress.isSuspect { return .failed(attempt: attempt, failure, again: delay) }
      _ = progress.apply(.lifted)
      return .failed(attempt: attempt, failure, again: nil)
    case .ignore, .release, .grant, .hold, .withhold, .show: return .stale
    }
  }

  private static func delay(
    afterAttempt attempt: Int, _ hint: RetryHint?, _ retry: RetrySettings?, _ random: Double
  ) -> Duration {
    let usual =
      if retry == nil, let wait = hint?.wait { wait } else {
        (retry ?? RetrySettings()).delay(afterAttempt: attempt, random: random)
      }
    return max(usual, hint?.atLeast ?? .zero)
  }
}
