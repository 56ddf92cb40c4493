/// A run of a plan as its submitter describes it: one message, one transaction.
package struct PlanSubmission: Hashable, Sendable {
  package var id: JobID
  package var definition: PlanDefinition
  package var submittedAt: Timestamp?
  package var reply: ReplyAddress?
  package var trace: TraceContext
  /// The submitter's own headers; every step has them.
  package var headers: [String: String]

  package init(
    id: JobID, definition: PlanDefinition, submittedAt: Timestamp? = nil, reply: ReplyAddress? = nil,
    trace: TraceContext = TraceContext(), headers: [String: String] = [:]
  ) {
    self.id = id
    self.definition = definition
    self.submittedAt = submittedAt
    self.reply = reply
    self.trace = trace
    self.headers = headers
  }

  /// A run of a plan without a name.
  package init(
    id: JobID, department: Department, steps: [PlanStep], submittedAt: Timestamp? = nil, reply: ReplyAddress? = nil,
    trace: TraceContext = TraceContext(), headers: [String: String] = [:]
  ) {
    self.init(
      id: id, definition: PlanDefinition(department: department, steps: steps), submittedAt: submittedAt,
      reply: reply, trace: trace, headers: headers)
  }

  package var department: Department { definition.department }
  package var steps: [PlanStep] { definition.steps }

  /// The content type that tells a plan from a job.
  package static let contentType = "application/vnd.teller.plan+json"
}

/// The start of a plan that the coordinator's configuration has: one message, known by its id like a job's.
package struct PlanStart: Hashable, Sendable {
  /// The id of the run.
  package var id: JobID
  package var plan: PlanName
  /// The payload of every step that has none of its own: a JSON text.
  package var payload: [UInt8]?
  package var submittedAt: Timestamp?
  package var reply: ReplyAddress?
  package var trace: TraceContext
  package var headers: [String: String]

  package init(
    id: JobID, plan: PlanName, payload: [UInt8]? = nil, submittedAt: Timestamp? = nil, reply: ReplyAddress? = nil,
    trace: TraceContext = TraceContext(), headers: [String: String] = [:]
  ) {
    self.id = id
    self.plan = plan
    self.payload = payload
    self.submittedAt = submittedAt
    self.reply = reply
    self.trace = trace
    self.headers = headers
  }
}
