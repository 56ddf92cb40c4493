package import JobModel

/// A job to be recorded.
package struct NewJob: Hashable, Sendable {
  package var id: JobID
  package var kind: JobKind
  package var department: Department
  package var priority: Priority
  package var payload: [UInt8]
  package var contentType: String?
  /// Held, or queued already with its token and release.
  package var progress: JobProgress
  /// Nil outside ordered departments.
  package var order: OrderPlace?
  package var plan: JobID?
  package var step: String?
  package var reply: ReplyAddress?
  package var trace: TraceContext
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  /// Nil while it is held.
  package var releasedAt: Timestamp?

  package init(
    id: JobID, kind: JobKind, department: Department, priority: Priority = .normal, payload: [UInt8] = [],
    contentType: String? = nil, progress: JobProgress, order: OrderPlace? = nil, plan: JobID? = nil,
    step: String? = nil, reply: ReplyAddress? = nil, trace: TraceContext = TraceContext(),
    submittedAt: Timestamp? = nil, acceptedAt: Timestamp, releasedAt: Timestamp? = nil
  ) {
    self.id = id
    self.kind = kind
    self.department = department
    self.priority = priority
    self.payload = payload
    self.contentType = contentType
    self.progress = progress
    self.order = order
    self.plan = plan
    self.step = step
    self.reply = reply
    self.trace = trace
    self.submittedAt = submittedAt
    self.acceptedAt = acceptedAt
    self.releasedAt = releasedAt
  }

  package var standing: Standing { Standing(readyAt: acceptedAt, priority: priority) }
}

/// A place in an ordered department, as it is known before the job has its acceptance number.
package struct OrderPlace: Hashable, Sendable {
  /// The acceptance number of the plan it joins; nil: its own number, so that it follows everything accepted before.
  package var plan: Int64?
  package var rank: Int
  package var position: Int

  package init(plan: Int64?, rank: Int, position: Int) {
    self.plan = plan
    self.rank = rank
    self.position = position
  }

  /// The place of a job of that acceptance number.
  package func key(number: Int64) -> OrderKey {
    OrderKey(plan: plan ?? number, rank: rank, position: position)
  }
}

/// What became of a job that was to be recorded.
package enum Acceptance: Hashable, Sendable {
  /// It is recorded, with this acceptance number.
  case new(number: Int64)
  /// A job of that id was there already; nothing was changed.
  case known(Job)
}
