import ArgumentParser
import Teller

/// `teller submit`: one job, the same job many times, or a batch.
struct SubmitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "submit",
    abstract: "Submits jobs and waits until they are accepted.",
    discussion: """
      A job is submitted when the broker has it safely, and accepted when a coordinator has recorded it; the command ends \
      well when everything is accepted. It prints the id of each accepted job; with --wait each job's outcome.

      EXAMPLES:
        teller submit deposit --payload '{"account": "A-1", "cents": 500}' --wait
        teller submit noop --count 1000 --priority 2
        teller submit --batch jobs.ndjson

      A batch has one JSON object a line: {"kind": "deposit", "payload": {…}} and, where wanted, "department", \
      "priority", "attempts", "rank", "id". A line that is wrong is reported with its number, and the rest goes on. At \
      the end a summary is printed.

      With --json: one object a line with "event" (accepted, rejected, not_yet_accepted, bad_line, succeeded, failed, \
      cancelled, outcome_unknown), "job", "line", "result" (or "result_base64"), "error"; at the end the summary, with "event": "summary".

      While the submission queue is full, or the broker is away, it waits and sends the same ids again. When no \
      coordinator answers within --limit, it goes on submitting: the jobs are safe and will be accepted later; the exit \
      code is then 76.
      """
  )

  @Argument(help: "The kind of job, which says what handler runs it.")
  var kind: JobKind?

  @OptionGroup var job: JobOptions

  @Option(help: ArgumentHelp("Submit one job a line of this file; - is standard input.", valueName: "file"))
  var batch: String?

  @Option(help: "Submit the job so many times, 1–10000000.")
  var count = 1

  @Flag(help: "Wait until the jobs have ended.")
  var wait = false

  @Option(help: "How long no coordinator may answer.")
  var limit = DurationArgument(.seconds(60))

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if batch != nil {
      if kind != nil || !job.isUntouched || count != 1 {
        throw ValidationError("--batch takes everything from its lines: leave out KIND and the options of a job.")
      }
      return
    }
    guard kind != nil else { throw ValidationError("Name the KIND of the job, or a file with --batch.") }
    guard (1...10_000_000).contains(count) else { throw ValidationError("--count is between 1 and 10000000.") }
    if count > 1, job.id != nil { throw ValidationError("--id is one job's id: leave out --count.") }
  }

  func run() async throws {
    if let batch { return try await submit(try BatchFile(batch), style: json ? .json : .problems) }
    guard let kind else { return }
    let submission = try await job.submission(of: kind)
    if count == 1 {
      try await submit(SingleSubmission(submission), style: json ? .json : .ids)
    } else {
      try await submit(RepeatedSubmission(submission: submission, left: count), style: json ? .json : .ids)
    }
  }

  private func submit(_ source: some SubmissionSource, style: SubmissionPrinter.Style) async throws {
    let limits = ClientLimits.forPeople(coordinator: limit.duration)
    let (totals, error) = try await global.withClient("submit", limits: limits) { client in
      let printer = SubmissionPrinter(style: style, waits: wait)
      return await SubmissionPipeline(client: client, waits: wait, limit: limit.duration, printer: printer).run(source)
    }
    try summarize(totals)
    if let error { throw error }
    try end(totals)
  }

  private func summarize(_ totals: SubmissionTotals) throws {
    if json {
      try Output.json(Summary(totals))
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
    case let status: throw Failure(status)
    }
  }
}

/// The last line of `--json`.
private struct Summary: Encodable {
  private enum Key: String, CodingKey { case event }
  let totals: SubmissionTotals

  init(_ totals: SubmissionTotals) {
    self.totals = totals
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("summary", forKey: .event)
    try totals.encode(to: encoder)
  }
}
