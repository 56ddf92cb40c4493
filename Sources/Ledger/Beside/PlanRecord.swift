package import JobModel

/// A plan to be recorded; its steps are accepted as jobs of their own.
package struct NewPlan: Hashable, Sendable {
  package var id: JobID
  package var department: Department
  package var reply: ReplyAddress?
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp

  package init(
    id: JobID, department: Department, reply: ReplyAddress? = nil, submittedAt: Timestamp? = nil, acceptedAt: Timestamp
  ) {
    self.id = id
    self.department = department
    self.reply = reply
    self.submittedAt = submittedAt
    self.acceptedAt = acceptedAt
  }
}

/// What became of a plan that was to be recorded.
package enum PlanAcceptance: Hashable, Sendable {
  /// It is recorded, with this acceptance number; now accept its steps.
  case new(number: Int64)
  /// A plan of that id was there already; nothing was changed.
  case known(PlanRecord)
}

/// A plan as the ledger keeps it.
package struct PlanRecord: Hashable, Sendable {
  /// The acceptance number: plans and jobs draw from one sequence.
  package var number: Int64
  package var id: JobID
  package var department: Department
  package var reply: ReplyAddress?
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  package var finishedAt: Timestamp?
  /// Nil while it is open.
  package var outcome: Outcome?

  package init(
    number: Int64, id: JobID, department: Department, reply: ReplyAddress?, submittedAt: Timestamp?,
    acceptedAt: Timestamp, finishedAt: Timestamp?, outcome: Outcome?
  ) {
    self.number = number
    self.id = id
    self.department = department
    self.reply = reply
    self.submittedAt = submittedAt
    self.acceptedAt = acceptedAt
    self.finishedAt = finishedAt
    self.outcome = outcome
  }
}
