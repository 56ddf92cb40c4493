import Teller

/// Prints the lines of `submit` about each job.
struct SubmissionPrinter: Sendable {
  /// How much is printed.
  enum Style: Sendable {
    /// The id of each accepted job, or its outcome when that is waited for.
    case ids
    /// Only problems, on standard error: for batches.
    case problems
    /// A line of JSON for each event.
    case json
  }

  var style: Style
  var waits: Bool
  /// Told of each acceptance and rejection; nil when no progress is shown.
  var progress: SubmissionProgress?

  /// One event of one submission, as `--json` prints it.
  struct Event: Encodable {
    /// `accepted`, `duplicate`, `replaced`, `rejected`, `not_yet_accepted`, `bad_line`, `succeeded`, `failed`, `cancelled`,
    /// `outcome_unknown` or `unknown`.
    var event: String
    var job: JobID?
    /// The job's line of the batch, from 1.
    var line: Int?
    /// The first job with the same id or key, of which this one is a duplicate.
    var duplicateOf: JobID?
    /// The job that had the key before.
    var replaces: JobID?
    /// How the job that counts stood when that was decided: of a duplicate, and of a job that ended as it was accepted.
    var state: JobState?
    /// Of a duplicate: `same` or `different`.
    var content: String?
    /// The result as text.
    var result: String?
    /// The result when it is no text.
    var resultBase64: String?
    var error: JobFailure?
  }

  /// Prints what was decided about a job that was not rejected. People are told of a duplicate, and of what will not run.
  func decided(_ job: JobID, line: Int?, _ decision: SubmissionDecision) {
    progress?.accepted()
    if style == .json { return json(Event(job, line: line, decision)) }
    let counting = decision.answer == .duplicate ? decision.other ?? job : job
    if style == .ids, !waits { Output.line(counting.description) }
    let isUseless = !decision.willRun && !waits
    let isWorthALine = style == .ids ? decision.answer == .duplicate : decision.isSameContent == false
    guard isUseless || isWorthALine else { return }
    note(job, line: line, "is \(decision)\(isUseless ? ": nothing will run" : "")")
  }

  /// Prints the outcome of a job.
  func ended(_ job: JobID, line: Int?, _ outcome: Outcome, duplicateOf: JobID?) {
    switch style {
    case .ids: Output.line(OutcomeText.line(duplicateOf ?? job, outcome))
    case .problems: if let failure = outcome.failure { note(job, line: line, "\(outcome.state): \(failure)") }
    case .json:
      var event = Event(
        event: outcome.state.rawValue, job: job, line: line, duplicateOf: duplicateOf, error: outcome.failure)
      switch OutcomeText.result(outcome) {
      case .text(let text)?: event.result = text
      case .base64(let text)?: event.resultBase64 = text
      case nil: break
      }
      json(event)
    }
  }

  func rejected(_ job: JobID, line: Int?, _ failure: JobFailure) {
    progress?.rejected()
    if style == .json { return json(Event(event: "rejected", job: job, line: line, error: failure)) }
    note(job, line: line, "rejected: \(failure)")
  }

  /// Prints the id of a job that is safe, and not accepted: the id is needed to ask about it later. In a batch such jobs
  /// may be very many: people find their number in the summary.
  func notYetAccepted(_ job: JobID, line: Int?) {
    switch style {
    case .ids: if waits { note(job, line: line, "not yet accepted") } else { Output.line(job.description) }
    case .problems: break
    case .json: json(Event(event: "not_yet_accepted", job: job, line: line))
    }
  }

  /// Prints that the outcome of an accepted job is not known.
  func outcomeUnknown(_ job: JobID, line: Int?) {
    switch style {
    case .ids: note(job, line: line, "accepted, outcome unknown")
    case .problems: break
    case .json: json(Event(event: "outcome_unknown", job: job, line: line))
    }
  }

  /// Prints that an accepted job is not in the ledger any more.
  func unknown(_ job: JobID, line: Int?) {
    if style == .json { return json(Event(event: "unknown", job: job, line: line)) }
    note(job, line: line, "accepted, and not known to the coordinator any more")
  }

  func badLine(_ line: Int, _ problem: String) {
    progress?.rejected()
    if style == .json {
      let error = JobFailure(code: "bad_line", message: problem)
      return json(Event(event: "bad_line", line: line, error: error))
    }
    Output.note("line \(line): \(problem)")
  }

  private func note(_ job: JobID, line: Int?, _ text: String) {
    Output.note("\(line.map { "line \($0): " } ?? "")job \(job) \(text.onOneLine)")
  }

  private func json(_ event: Event) {
    // Every event can be written as JSON.
    try? Output.json(event)
  }
}

extension SubmissionPrinter.Event {
  /// What was decided about a job.
  init(_ job: JobID, line: Int?, _ decision: SubmissionDecision) {
    (event, self.job, self.line) = (decision.answer.rawValue, job, line)
    duplicateOf = decision.answer == .duplicate ? decision.other : nil
    replaces = decision.answer == .replaced ? decision.other : nil
    (state, error) = (decision.state, decision.failure)
    content = decision.isSameContent.map { $0 ? "same" : "different" }
  }
}
