import JobModel

// Errors that a handler throws to say more than "it failed".

/// Thrown by a handler when another attempt cannot help: the job fails at once, even if it has attempts left.
public struct PermanentFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short, stable word for programs.
  public let code: String
  /// For people: what happened, and what to do about it.
  public let message: String

  /// A failure. At most `JobFailure.longestCode` and `JobFailure.longestMessage` characters are kept.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// Code and message.
  public var description: String { "\(code): \(message)" }
}

/// Thrown by a handler when the attempt has failed, and the next one must not come before some time: a server has answered
/// with `Retry-After`, for example. The attempt counts.
///
///     throw RetryLater(code: "busy", message: "the mail server takes no more today", after: .seconds(3_600))
///
/// The job waits as its retries say, and at least that time. Has it no attempt left, then it has failed.
public struct RetryLater: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short, stable word for programs.
  public let code: String
  /// For people: what happened, and what to do about it.
  public let message: String
  /// How long the job waits at least.
  public let time: Duration
  /// Whether the job's department is paused with the end of the attempt, until an operator resumes it: no other job would
  /// succeed either.
  public let pausesDepartment: Bool

  /// The longest time.
  public static let longest = RetryHint.longestWait

  /// A failure. At most `JobFailure.longestCode` and `JobFailure.longestMessage` characters are kept. A negative time counts
  /// as zero, one over ``longest`` as that.
  public init(code: String, message: String, after time: Duration, pausesDepartment: Bool = false) {
    (self.code, self.message, self.pausesDepartment) = (code, message, pausesDepartment)
    self.time = min(max(.zero, time), RetryLater.longest)
  }

  /// Code and message.
  public var description: String { "\(code): \(message)" }
}

/// Thrown by a handler to have the job run again later: see ``JobContext/snooze(for:)``. A middleware that reports errors
/// should let it pass.
public struct JobSnooze: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long the job waits at least.
  public let time: Duration

  /// The longest time.
  public static let longest = SnoozeLimits.longest
  /// The shortest time.
  public static let shortest = SnoozeLimits.shortest

  /// A snooze of that time. One under ``shortest`` counts as that, and so does one over ``longest``.
  public init(for time: Duration) {
    self.time = SnoozeLimits.within(time)
  }

  /// `snoozed for 30 s`.
  public var description: String { "snoozed for \(time.inWords)" }
}

/// Thrown by a handler when nothing is to be done any more: see ``JobContext/discard(_:)``. A middleware that reports errors
/// should let it pass.
public struct JobDiscard: Error, Hashable, Sendable, CustomStringConvertible {
  /// For people.
  public let reason: String

  /// A discard. At most `JobFailure.longestMessage` characters of the reason are kept.
  public init(_ reason: String) {
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }

  var failure: JobFailure { JobFailure(code: JobFailure.Code.discarded, message: reason) }
}
