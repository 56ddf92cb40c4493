import JobModel
import JobTransport
import Logging

/// The words about an attempt that did not succeed: a line of the log, and the failure for the hooks. A pure value.
///
/// | the attempt | level | the hooks are told |
/// |---|---|---|
/// | failed, and is tried again | warning | yes |
/// | failed, and was the last one | error | yes |
/// | was stopped, because its job has ended or the worker is closed | info | no |
/// | was snoozed | info | no |
/// | was discarded | notice | no |
struct AttemptNote: Sendable {
  let level: Logger.Level
  let text: String
  /// For the hooks; nil: they are not told.
  private(set) var failed: FailedAttempt?

  /// The most characters of an error that are logged.
  static let longestError = 1_000

  /// `error`: what the handler threw; `reason`: why the attempt was cancelled, if it was; `wait`: after about how long the
  /// job is tried again, if it is.
  init(
    _ job: JobInfo, _ result: AttemptResult, _ error: any Error, cancelled reason: RunControl.Reason?, wait: Duration
  ) {
    let place = "in \(job.department)"
    switch (reason, result) {
    case (.jobEnded, _): (level, text) = (.info, "stopped an attempt \(place): its job has ended")
    case (.closed, _): (level, text) = (.info, "stopped an attempt \(place): this worker is closed")
    case (_, .snoozed(let time)):
      (level, text) = (.info, "snoozed \(place) for \(time.inWords); no attempt is used up")
    case (_, .discarded(let failure)):
      (level, text) = (.notice, "discarded \(place): \(AttemptNote.line(failure.message))")
    case (_, .failed(let failure, let isPermanent)):
      let again = isPermanent || job.attempt >= job.maxAttempts ? nil : wait
      level = again == nil ? .error : .warning
      text =
        "attempt \(job.attempt) of \(job.maxAttempts) failed \(place)"
        + (again.map { ", again in about \($0.inWords): " } ?? ", and so has the job: ")
        + AttemptNote.line("\(failure)\(AttemptNote.late(error, reason))")
      failed = FailedAttempt(job: job, error: error, failure: failure, again: again)
    // A result that succeeded has no note.
    case (_, .succeeded): (level, text) = (.debug, "succeeded \(place)")
    }
  }

  /// The error that a handler threw after its time limit. A `CancellationError` says nothing more.
  private static func late(_ error: any Error, _ reason: RunControl.Reason?) -> String {
    guard case .timeout? = reason, !(error is CancellationError) else { return "" }
    return "; then it threw: \(error)"
  }

  /// One line, within the limit.
  private static func line(_ text: String) -> String {
    text.prefix(longestError).split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
