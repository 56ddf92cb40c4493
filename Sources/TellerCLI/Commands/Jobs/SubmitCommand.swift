import ArgumentParser
import Teller

struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Submits jobs and waits until they are accepted.",
    discussion: """
      A job is submitted when the broker has it on disk. A job is accepted when a coordinator has recorded it. The command ends \
      with 0 when all jobs are accepted, and will run or have run.

      A job whose id or --key was used before is a duplicate: the earlier job counts, and is not run again. A line on standard \
      error says so, with the state of the earlier job, and whether its content differs. If that job failed or was cancelled, \
      nothing will run, and without --wait the exit code is 2: give the key back with `teller keys free`, or replay the job. The \
      same holds for a job that comes too late, or whose --after has failed. An id that was used with other content is refused \
      (id_conflict).

        it prints                 when
        the id of each job        usually
        the outcome of each job   with --wait
        the id of another job     that job has the --id or --key already
        errors and a summary      with --batch; --json tells of each job

      EXAMPLES:
        teller submit deposit --payload '{"customer": 1, "milliseconds": 700}' --wait
        teller submit noop --count 1000 --priority 2
        teller submit letter --delay 15m --start-within 2h --timeout 30s
        teller submit invoice --key 2026-03/A-17
        teller submit report --after 0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11
        teller submit --batch jobs.ndjson

      Three options limit a time:

        --timeout                   how long one attempt of the job may run
        --start-by --start-within   how long the job may wait for its start
        --within                    how long this command waits

      A batch has one JSON object a line: {"kind": "deposit", "payload": {…}}. These members may stand beside them, with the \
      values of the options of the same names: "department", "priority", "attempts", "rank", "id", "delay", "at", "start_by", \
      "start_within", "timeout", "after" (a list), "after_failed", "key", "key_window". A wrong line is told of with its number; \
      the other lines are submitted.

      While the submission queue is full, or when the broker goes away meanwhile, the command waits and sends the same ids \
      again. A broker that is away from the beginning is tried for seconds: then nothing is submitted, and the exit code is 69. \
      When no \
      coordinator answers within --within, the command submits the rest and ends with 76: the jobs are safe, and a coordinator \
      will accept them later. With --wait the exit code is 66 when the coordinator has lost an accepted job: its ledger was put \
      back to an older copy. After Ctrl-C the command tells what is submitted. Submitted jobs are not taken back.

      On a terminal the last line shows how far the one job of --wait has come, if its handler says so.

      A job may be held until a plan is open, or wait for a job of --after that nobody has submitted yet. With --wait a line on \
      standard error says so once, with what lifts it.

      With --json one object a line: "event" (accepted, duplicate, replaced, rejected, not_yet_accepted, bad_line, succeeded, \
      failed, cancelled, outcome_unknown, unknown), "job", "line", "duplicate_of" (the job that has the id or the key), \
      "replaces" (the job that had the key before), "state" (of the job that counts), "content" (of a duplicate: same or \
      different), "result" (or "result_base64"), "error". The last line is the summary: "event" (summary), "submitted", \
      "accepted" (the duplicates are among them), "duplicates", "not_to_run", "rejected", "not_yet_accepted", "bad_lines", \
      "succeeded", "failed", "cancelled", "outcome_unknown", "unknown" (the last five are 0 without --wait), \
      "seconds", "jobs_per_second" (accepted ones).
      """
  )

  @Argument(help: "The kind of the job: it decides which handler runs.")
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

  @Option(
    help: ArgumentHelp(
      "How long the command waits for the broker to take a job, and for a coordinator.", valueName: "duration"))
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
    let source = RepeatedSubmission(submission: submission, left: count)
    try await submit(source, style: json ? .json : .ids, followed: wait && count == 1 ? submission.id : nil)
  }

  private func submit(batch: String) async throws {
    let progress = !json && TerminalSize.progressColumns != nil ? SubmissionProgress() : nil
    try await submit(try BatchFile(batch, progress: progress), style: json ? .json : .problems, progress: progress)
  }

  private func submit(
    _ source: some SubmissionSource, style: SubmissionPrinter.Style, progress: SubmissionProgress? = nil,
    followed job: JobID? = nil
  ) async throws {
    let timeouts = OutcomeWait.submitting(within: within.duration)
    let printer = SubmissionPrinter(style: style, waits: wait, progress: progress)
    let ((totals, error), isInterrupted) = try await global.withClient("submit", timeouts: timeouts) { client in
      let pipeline = SubmissionPipeline(client: client, waits: wait, limit: within.duration, printer: printer)
      return await StopSignals.interrupting {
        if let progress { return await progress.shown { await pipeline.run(source) } }
        return await WaitProgress.shown(of: [job].compactMap(\.self), by: client, isWanted: job != nil && !json) { _ in
          await pipeline.run(source)
        }
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
