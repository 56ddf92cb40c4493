/// Why a job does not run, or has not ended, and what would change that.
package struct ExplainDocument: Hashable, Sendable, Codable {
  /// One reason why a job or a plan is not released, does not run, or has not ended.
  package struct Reason: Hashable, Sendable, Codable {
    /// One of ``ExplainDocument/holds``.
    package var hold: String
    /// The reason as a sentence, for people.
    package var text: String
    /// What would lift the hold, for people.
    package var lifts: String?
    /// When the hold began, if that is known.
    package var since: Timestamp?
    /// When the hold ends by itself, if that is known.
    package var until: Timestamp?
    /// The jobs that this job waits for; at most `ExplainDocument.jobLimit`.
    package var jobs: [JobID]?

    package init(
      hold: String, text: String, lifts: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil,
      jobs: [JobID]? = nil
    ) {
      assert(ExplainDocument.holds.contains(hold), "\(hold) is published nowhere")
      self.hold = hold
      self.text = text
      self.lifts = lifts
      self.since = since
      self.until = until
      self.jobs = jobs
    }

    enum CodingKeys: String, CodingKey {
      case hold, text, lifts, jobs
      case since = "since_ms"
      case until = "until_ms"
    }
  }

  package var job: JobID
  package var state: JobState
  package var kind: JobKind
  package var department: Department
  package var reasons: [Reason]

  package init(job: JobID, state: JobState, kind: JobKind, department: Department, reasons: [Reason]) {
    self.job = job
    self.state = state
    self.kind = kind
    self.department = department
    self.reasons = reasons
  }

  package static let jobLimit = 10

  /// Every word that a reason's `hold` may be. They are published.
  package static let holds = [
    "schedule", "retry", "paused", "window", "cap", "order", "after", "handler", "suspect", "operation", "department",
    "epoch",
    // A released job has one of these, and perhaps some of the others.
    "queue", "no_teller", "claim", "running", "stuck",
    "ended",
    // A plan has this one for its next step, and then the holds of that step.
    "step",
  ]
}
