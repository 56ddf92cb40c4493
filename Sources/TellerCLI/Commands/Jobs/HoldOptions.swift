import ArgumentParser
import CoordinatorSettings
import JobModel
import Teller

/// The options that hold a job, limit it, or make it one-shot.
struct HoldOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long after its acceptance it is held, at most ten years, such as 90s, 15m or 2h.", valueName: "duration"))
  var delay: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "It is held until then, at most ten years: a moment with its offset, such as 2026-03-01T08:00:00+01:00.",
      valueName: Timestamp.argumentName))
  var at: Timestamp?

  @Option(
    help: ArgumentHelp(
      """
      By when it must have been started; else it fails with too_late, and is not run. (default: what `start_within:` \
      of its kind says in the coordinator's teller.yaml, else no limit)
      """, valueName: Timestamp.argumentName))
  var startBy: Timestamp?

  @Option(
    help: ArgumentHelp(
      """
      The same, as how long after its acceptance, or after the time until which it is held: 90s, 15m or 2h, at most \
      ten years.
      """, valueName: "duration"))
  var startWithin: DurationArgument?

  @Option(
    help: ArgumentHelp(
      """
      How long one attempt may run, \(Submission.timeoutLimits.written); then its handler is cancelled, and the \
      attempt has failed with timeout. (default: what `timeout:` of its kind says in the coordinator's teller.yaml, \
      else no limit)
      """, valueName: "duration"))
  var timeout: DurationArgument?

  @Option(help: ArgumentHelp("A job that must have succeeded before; may be given up to 100 times.", valueName: "job"))
  var after: [JobID] = []

  @Option(help: "What becomes of it when one of those fails or is cancelled: fail or cancel. (default: fail)")
  var afterFailed: DependencyRule?

  @Option(
    help:
      "A key, 1–200 bytes: while it is taken, another job of this kind with it runs nothing, and gets the same outcome."
  )
  var key: String?

  @Option(
    help: ArgumentHelp(
      """
      How long after its acceptance the key stays taken, \(SubmissionKey.windowLimits.written); at least until the job \
      has ended. (default: \(SubmissionKey.defaultWindow.written))
      """, valueName: "duration"))
  var keyWindow: DurationArgument?

  /// Whether none of these options was given.
  var isUntouched: Bool {
    let times = [delay, startWithin, timeout, keyWindow].contains { $0 != nil } || at != nil || startBy != nil
    return !times && after.isEmpty && afterFailed == nil && key == nil
  }

  func validate() throws {
    if delay != nil, at != nil { throw ValidationError("Give --delay or --at, not both.") }
    if startBy != nil, startWithin != nil { throw ValidationError("Give --start-by or --start-within, not both.") }
    if afterFailed != nil, after.isEmpty { throw ValidationError("--after-failed says what to do about --after.") }
    if keyWindow != nil, key == nil { throw ValidationError("--key-window is the window of a --key.") }
  }

  /// Sets the options on a job.
  func apply(to submission: inout JobSubmission<JSONValue>) {
    submission.delay = delay?.duration
    submission.runAt = at?.date
    submission.startBy = startBy?.date
    submission.startWithin = startWithin?.duration
    submission.timeout = timeout?.duration
    submission.after = after
    submission.afterFailed = afterFailed ?? .fail
    submission.key = key
    submission.keyWindow = keyWindow?.duration
  }
}
