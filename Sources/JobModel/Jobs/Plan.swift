/// Ranked steps that start as a whole: one message, one transaction.
package struct PlanSubmission: Hashable, Sendable {
  package var id: JobID
  package var department: Department
  /// In the order they were written; their position breaks a tie of ranks.
  package var steps: [PlanStep]
  package var submittedAt: Timestamp?
  package var reply: ReplyAddress?
  package var trace: TraceContext
  /// The submitter's own headers; every step has them.
  package var headers: [String: String]

  package init(
    id: JobID, department: Department, steps: [PlanStep], submittedAt: Timestamp? = nil, reply: ReplyAddress? = nil,
    trace: TraceContext = TraceContext(), headers: [String: String] = [:]
  ) {
    self.id = id
    self.department = department
    self.steps = steps
    self.submittedAt = submittedAt
    self.reply = reply
    self.trace = trace
    self.headers = headers
  }

  /// The content type that tells a plan from a job.
  package static let contentType = "application/vnd.teller.plan+json"
  /// The most steps one plan may have.
  package static let stepLimit = 1_000
}

/// One step of a plan: a job that knows only itself.
package struct PlanStep: Hashable, Sendable {
  package var name: String
  package var kind: JobKind
  /// Lower goes first.
  package var rank: Int
  /// A JSON text, as its submitter wrote it: it is carried, and never looked into.
  package var payload: [UInt8]?
  package var attempts: Int?

  package init(name: String, kind: JobKind, rank: Int, payload: [UInt8]? = nil, attempts: Int? = nil) {
    self.name = name
    self.kind = kind
    self.rank = rank
    self.payload = payload
    self.attempts = attempts
  }

  /// The longest name of a step, in bytes.
  package static let longestName = 200
}

/// The body of a plan's submission.
package struct PlanDocument: Hashable, Sendable {
  package var department: Department
  package var steps: [PlanStep]

  package init(department: Department, steps: [PlanStep]) {
    self.department = department
    self.steps = steps
  }

  /// What is wrong with it, for people; nil when nothing is.
  package var problem: String? {
    if steps.isEmpty { return "a plan needs at least one step" }
    if steps.count > PlanSubmission.stepLimit { return "a plan has at most \(PlanSubmission.stepLimit) steps" }
    var names: Set<String> = []
    for step in steps {
      if step.name.isEmpty || step.name.utf8.count > PlanStep.longestName {
        return "a step's name has 1–\(PlanStep.longestName) bytes"
      }
      if !names.insert(step.name).inserted { return "two steps are named \"\(step.name)\"" }
      if !Submission.rankLimits.contains(step.rank) { return "rank \(step.rank) of \"\(step.name)\" is not 1–1000000" }
      if let attempts = step.attempts, !Submission.attemptLimits.contains(attempts) {
        return "attempts \(attempts) of \"\(step.name)\" is not 1–100"
      }
    }
    return nil
  }
}
