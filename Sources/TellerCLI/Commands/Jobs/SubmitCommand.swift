import ArgumentParser
import Teller

struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Submits jobs and waits until they are accepted.",
    discussion: """
      A job is submitted when the broker has it safely, and accepted when a coordinator has recorded it; the command \
      ends well when everything is accepted. It prints the id of each job that is submitted; with --wait each job's \
      outcome. Of a job whose key is taken that is the id of the job that has it. Of a batch it prints only what goes \
      wrong, and a summary; --json tells of each of its jobs.

      EXAMPLES:
        teller submit deposit --payload '{"customer": 1, "milliseconds": 700}' --wait
        teller submit noop --count 1000 --priority 2
        teller submit letter --delay 15m --start-within 2h --timeout 30s
        teller submit invoice --key 2026-03/A-17 --after 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller submit --batch jobs.ndjson

      --timeout is about one attempt of the job, --start-by and --start-within about how long it may wait, and \
      --within about how long this command waits for a coordinator. A moment has its offset (RFC 3339).

      A batch has one JSON object a line: {"kind": "deposit", "payload": {…}} and, where wanted, "department", \
      "priority", "attempts", "rank", "id", "delay", "at", "start_by", "start_within", "timeout", "after" (a list), \
      "after_failed", "key", "key_window", all with the values of the options of the same names. A line that is wrong \
      is reported with its number, and the rest goes on. On a terminal a line tells how far it is; at the end a \
      summary is printed.

      With --json: one object a line with "event" (accepted, rejected, not_yet_accepted, bad_line, succeeded, failed, \
      cancelled, outcome_unknown, unknown), "job", "line", "duplicate_of" (the job that has its key), "result" (or \
      "result_base64"), "error"; at the end the summary: "event" (summary), "submitted" (the broker has them safely), \
      "accepted", "rejected", "not_yet_accepted", "bad_lines", with --wait "succeeded", "failed", "cancelled", \
      "outcome_unknown" and "unknown" (0 without it), "seconds", "jobs_per_second" (accepted ones).

      While the submission queue is full, or the broker is away, it waits and sends the same ids again. When no \
      coordinator answers within --within, it goes on submitting: the jobs are safe and will be accepted later; the \
      exit code is then 76. With --wait the exit code is 66 when the coordinator does not know a job any more that was \
      accepted: its ledger was put back to an older copy. Interrupted it tells what is submitted, and takes nothing back.
      """
  )

  @Argument(help: "The kind of job, which says what handler runs it.")
  var kind: JobKind?

  @OptionGroup var job: JobOptions
  @OptionGroup var holds: HoldOptions

  @Option(
    help: ArgumentHelp("Submit one job a line of this file; - is standard input.", valueName: "file"),
    completion: .file())
  var batch: String?

  @Option(help: "Submit the job so many times, \(RepeatedSubmission.limits.written).")
  var count = 1

  @Flag(help: "Wait until the jobs have ended.")
  var wait = false

  @Option(help: ArgumentHelp("How long no coordinator may answer.", valueName: "duration"))
  var within = DurationArgument(ClientTimeouts.forPeople.coordinator)

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if batch != nil {
      if kind != nil || !job.isUntouched || !holds.isUntouched || count != 1 {
        throw ValidationError("--batch takes everything from its lines: leave out KIND and the options of a job.")
      }
      return
    }
    guard kind != nil else { throw ValidationError("Name the KIND of the job, or a file with --batch.") }
    guard RepeatedSubmission.limits.contains(count) else {
      throw ValidationError("--count is \(RepeatedSubmission.limits.written).")
    }
    if count > 1, job.id != nil { throw ValidationError("--id is one job's id: leave out --count.") }
  }

  func run() async throws {
    if let batch { return try await submit(batch: batch) }
    guard let kind else { return }
    var submission = try await job.submission(of: kind)
    holds.apply(to: &submission)
    try submission.check()
    try await submit(RepeatedSubmission(submission: submission, left: count), style: json ? .json : .ids)
  }

  private func submit(batch: String) async throws {
    let progress = !json && TerminalSize.progressColumns != nil ? SubmissionProgress() : nil
    try await submit(try BatchFile(batch, progress: progress), style: json ? .json : .problems, progress: progress)
  }

  private func submit(
    _ source: some SubmissionSource, style: SubmissionPrinter.Style, progress: SubmissionProgress? = nil
  ) async throws {
    var timeouts = ClientTimeouts.forPeople
    timeouts.coordinator = within.duration
    let printer = SubmissionPrinter(style: style, waits: wait, progress: progress)
    let ((totals, error), isInterrupted) = try await global.withClient("submit", timeouts: timeouts) { client in
      let pipeline = SubmissionPipeline(client: client, waits: wait, limit: within.duration, printer: printer)
      return await StopSignals.interrupting {
        guard let progress else { return await pipeline.run(source) }
        return await progress.shown { await pipeline.run(source) }
      }
    }
    try summarize(totals)
    if isInterrupted {
      let problem = error.flatMap { $0 is CancellationError ? nil : Failure($0) }
      throw Failure(.interrupted, InterruptionText.line(totals, problem))
    }
    if let error { throw error }
    try end(totals)
  }

  private func summarize(_ totals: SubmissionTotals) throws {
    if json {
      try Output.json(totals)
    } else if batch != nil {
      Output.line(totals.text)
    }
  }

  private func end(_ totals: SubmissionTotals) throws {
    switch totals.status {
    case .success: return
    case .notYetAccepted:
      let text = "\(totals.notYetAccepted) confirmed, not yet accepted"
      throw Failure(.notYetAccepted, "\(text); they are safe, start a coordinator or ask later with `teller wait`")
    case .noCoordinator:
      let text = "\(totals.outcomeUnknown) accepted, and no coordinator tells what became of them"
      throw Failure(.noCoordinator, "\(text); they are safe, ask later with `teller wait`")
    case .unknownJob:
      let text = "\(totals.unknown) accepted, and the coordinator does not know them any more"
      throw Failure(.unknownJob, "\(text): its ledger was put back to an older copy; submit them again")
    case let status: throw Failure(status)
    }
  }
}
