import ArgumentParser
import CoordinatorSettings
import JobModel
import Teller

/// The options that hold a job, limit it, or make it one-shot.
struct HoldOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long the job is held after its acceptance, such as 90s, 15m or 2h; at most ten years.", valueName: "duration"
    ))
  var delay: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Until when the job is held, at most ten years: a moment with its offset, such as 2026-03-01T08:00:00+01:00.",
      valueName: Timestamp.argumentName))
  var at: Timestamp?

  @Option(
    help: ArgumentHelp(
      """
      By when the job must start. A later job fails with too_late and does not run. (default: `start_within:` of its \
      kind in the coordinator's teller.yaml, else no limit)
      """, valueName: Timestamp.argumentName))
  var startBy: Timestamp?

  @Option(
    help: ArgumentHelp(
      """
      Within what time the job must start, counted from its acceptance, or from the end of --delay or --at: 90s, 15m or \
      2h, at most ten years.
      """, valueName: "duration"))
  var startWithin: DurationArgument?

  @Option(
    help: ArgumentHelp(
      """
      How long one attempt may run, \(Submission.timeoutLimits.written). A longer attempt fails with timeout, and its \
      handler is cancelled. (default: `timeout:` of its kind in the coordinator's teller.yaml, else no limit)
      """, valueName: "duration"))
  var timeout: DurationArgument?

  @Option(help: ArgumentHelp("A job that must have succeeded before; may be given up to 100 times.", valueName: "job"))
  var after: [JobID] = []

  @Option(help: "What happens to the job when one of those jobs fails or is cancelled: fail or cancel. (default: fail)")
  var afterFailed: DependencyRule?

  @Option(
    help:
      "A key, 1–200 bytes. While the key is taken, a further job of this kind with this key does not run: it gets the first job's outcome."
  )
  var key: String?

  @Option(
    help: ArgumentHelp(
      """
      How long the key stays taken after the job's acceptance, \(SubmissionKey.windowLimits.written), and at least until \
      the job has ended. With while-live exactly until the job has ended. (default: \(SubmissionKey.defaultWindow.written))
      """, valueName: "duration|while-live"))
  var keyWindow: KeyWindowArgument?

  /// Whether none of these options was given.
  var isUntouched: Bool {
    let times = [delay, startWithin, timeout].contains { $0 != nil } || keyWindow != nil || at != nil || startBy != nil
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
    submission.keyWindow = keyWindow?.window
  }
}
