/// Why a job is where it is, and what would change that.
package struct ExplainDocument: Hashable, Sendable, Codable {
  /// One reason why a job, or plan, is not released, or does not run, or has not ended.
  package struct Reason: Hashable, Sendable, Codable {
    /// One of ``ExplainDocument/holds``.
    package var hold: String
    /// What it waits for, for people.
    package var text: String
    /// What would lift it, for people.
    package var lifts: String?
    /// Since when, if that is known.
    package var since: Timestamp?
    /// When it is lifted by itself, if that is known.
    package var until: Timestamp?
    /// The jobs it waits for; at most `ExplainDocument.jobLimit` of them.
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

  /// Every word that a reason's `hold` may be, as it is published.
  package static let holds = [
    "schedule", "retry", "paused", "window", "cap", "order", "after", "handler", "suspect", "operation", "department",
    "epoch",
    // Of a job that is released, beside some of those.
    "queue", "no_teller", "claim", "running", "stuck",
    "ended",
    // Of a plan; then comes what holds that step.
    "step",
  ]
}
