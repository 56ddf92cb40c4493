import Teller

/// What `submit` prints of each job.
struct SubmissionPrinter: Sendable {
  /// How much is printed.
  enum Style: Sendable {
    /// The id of each accepted job, or its outcome when that is waited for.
    case ids
    /// Only what went wrong, on standard error: for batches.
    case problems
    /// A line of JSON for each event.
    case json
  }

  var style: Style
  var waits: Bool
  /// Hears what became of each job; nil where nobody looks.
  var progress: SubmissionProgress?

  /// One event of one submission, as `--json` prints it.
  struct Event: Encodable {
    /// `accepted`, `rejected`, `not_yet_accepted`, `bad_line`, `succeeded`, `failed`, `cancelled`, `outcome_unknown` or
    /// `unknown`.
    var event: String
    var job: JobID?
    /// Of the batch, from 1.
    var line: Int?
    /// The job with the same key that was there before: only that one is recorded.
    var original: JobID?
    /// When it is text.
    var result: String?
    /// When it is none.
    var resultBase64: String?
    var error: JobFailure?
  }

  /// - Parameters:
  ///   - job: The job's id.
  ///   - line: Of the batch.
  ///   - duplicateOf: The job that stands for it, if another one had its key.
  func accepted(_ job: JobID, line: Int?, duplicateOf: JobID?) {
    progress?.accepted()
    switch style {
    case .ids: if !waits { Output.line((duplicateOf ?? job).description) }
    case .problems: break
    case .json: json(Event(event: "accepted", job: job, line: line, original: duplicateOf))
    }
  }

  /// The same of its outcome.
  func ended(_ job: JobID, line: Int?, _ outcome: Outcome, duplicateOf: JobID?) {
    switch style {
    case .ids: Output.line(OutcomeText.line(duplicateOf ?? job, outcome))
    case .problems: if let failure = outcome.failure { note(job, line: line, "\(outcome.state): \(failure)") }
    case .json:
      var event = Event(
        event: outcome.state.rawValue, job: job, line: line, original: duplicateOf, error: outcome.failure)
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

  /// The job is safe: without its id nobody could ask for it later. Of a batch only the summary tells of these to people:
  /// there may be very many.
  func notYetAccepted(_ job: JobID, line: Int?) {
    switch style {
    case .ids: if waits { note(job, line: line, "not yet accepted") } else { Output.line(job.description) }
    case .problems: break
    case .json: json(Event(event: "not_yet_accepted", job: job, line: line))
    }
  }

  /// The same of one that is accepted.
  func outcomeUnknown(_ job: JobID, line: Int?) {
    switch style {
    case .ids: note(job, line: line, "accepted, outcome unknown")
    case .problems: break
    case .json: json(Event(event: "outcome_unknown", job: job, line: line))
    }
  }

  /// The job was accepted, and is not in the ledger any more.
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
    // Nothing in an event can fail to be JSON.
    try? Output.json(event)
  }
}
