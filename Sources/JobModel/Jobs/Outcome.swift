/// Why a job did not succeed, or a submission was not accepted: a code for programs, a sentence for people.
public struct JobFailure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  /// A short, stable word, such as `timeout` or `poison`.
  @ExactText public private(set) var code: String
  /// What happened and what to do about it. At most ``longestMessage`` characters.
  public let message: String

  /// The longest message that is kept, in characters; the rest is cut off.
  public static let longestMessage = 2_000
  /// The longest code that is kept, in characters.
  public static let longestCode = 64

  /// A failure with its code and its message, cut to their limits.
  public init(code: String, message: String) {
    self.code = String(code.prefix(JobFailure.longestCode))
    self.message = String(message.prefix(JobFailure.longestMessage))
  }

  /// The names of the two members on the wire.
  enum CodingKeys: String, CodingKey {
    case code = "error"
    case message
  }

  /// Reads a failure, cut to the same limits.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code), message: try members.decode(String.self, forKey: .message))
  }

  /// Code and message.
  public var description: String { "\(code): \(message)" }

  /// The same with a message of at most so many Unicode scalars, and a code within its limit. It is cut by scalars, since
  /// one character may have any number of them.
  package func shortened(to limit: Int) -> JobFailure {
    let cut = { (text: String, limit: Int) in String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) }
    return JobFailure(code: cut(code, JobFailure.longestCode), message: cut(message, limit))
  }
}

/// How a job ended. A job has one outcome, and it never changes.
public enum Outcome: Hashable, Sendable {
  /// The handler returned; its result as bytes, and what kind of bytes they are.
  case succeeded(result: [UInt8], contentType: String?)
  /// The attempts are used up, or the failure was permanent.
  case failed(JobFailure)
  /// It was cancelled before it ended, with the reason.
  case cancelled(JobFailure)
}

extension Outcome {
  /// The state a job with this outcome is in.
  public var state: JobState {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }

  /// The reason of a failed or cancelled job.
  public var failure: JobFailure? {
    switch self {
    case .succeeded: nil
    case .failed(let failure), .cancelled(let failure): failure
    }
  }
}

extension JobFailure {
  // What Teller itself says of jobs; submissions have their own codes in `Rejection`.
  package static func poison(deaths: Int) -> JobFailure {
    JobFailure(
      code: Code.poison,
      message: """
        \(deaths) \(deaths == 1 ? "worker" : "workers") died or were lost while it ran, in the end with no other job \
        there that can have been the cause; look at what the job does
        """)
  }
  package static func lost() -> JobFailure {
    JobFailure(
      code: Code.lost,
      message: "its worker or its message was lost when it may have begun, and it may run at most once (attempts: 1)")
  }
  package static func snoozedTooOften() -> JobFailure {
    JobFailure(
      code: Code.snoozeLimit, message: "its handler has put it off \(SnoozeLimits.ofJob) times, and may not once more")
  }
  /// An attempt whose worker was killed before its drain had ended.
  package static func drained() -> JobFailure {
    JobFailure(
      code: Code.drained, message: "its worker was killed while draining: its supervisor has to wait for longer")
  }
  /// An attempt whose message went out of its queue, and of which nothing was heard.
  package static func unreported() -> JobFailure {
    JobFailure(
      code: Code.unreported,
      message: "its message left the queue, and no worker has said anything of it that can be used: look at "
        + "`teller rejected`, at the log of the workers, and for somebody who purges the queue")
  }
  package static func cancelled(by whom: String) -> JobFailure {
    JobFailure(code: Code.cancelled, message: "it was cancelled by \(whom)")
  }
  package static func tooLate() -> JobFailure {
    JobFailure(code: Code.tooLate, message: "it had not been started by the time its submitter had set; it was not run")
  }
  /// `reason`: the broker's words.
  package static func unpublishable(_ reason: String) -> JobFailure {
    JobFailure(
      code: Code.unpublishable,
      message: """
        the broker does not take its message: \(reason); make the payload or the headers smaller, or raise that limit of \
        the broker, then replay it
        """)
  }
  /// The report of an attempt that has ended is not taken. `reason`: the broker's words.
  package static func unpublishable(result reason: String) -> JobFailure {
    JobFailure(
      code: Code.unpublishable,
      message: """
        it ran, and the broker does not take the report with its result: \(reason); make the result smaller, or raise that \
        limit of the broker
        """)
  }
  package static func timeout(_ limit: Duration) -> JobFailure {
    JobFailure(
      code: Code.timeout,
      message: "it ran for longer than its time limit of \(limit.inWords), and its handler was cancelled")
  }
  package static func dependency(_ job: JobID, _ state: JobState) -> JobFailure {
    JobFailure(
      code: Code.dependency,
      message: "job \(job), which it waited for, \(state == .failed ? "failed" : "was cancelled")")
  }
  package static func unknownDependency(_ job: JobID) -> JobFailure {
    JobFailure(
      code: Code.unknownDependency,
      message: "job \(job), which it waited for, was not submitted within \(Dependencies.unknownLimit.inWords)")
  }
  package static func planShut(step: String, failure: JobFailure) -> JobFailure {
    JobFailure(
      code: Code.planShut, message: "step \"\(step)\" of its plan failed (\(failure.code): \(failure.message))")
  }
}
