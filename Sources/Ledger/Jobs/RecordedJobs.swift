package import JobModel

/// A job that is released and has no outcome yet.
package struct ReleasedJob: Hashable, Sendable {
  package var job: Job
  /// Whether the broker is known to have the assignment of the current release.
  package var isConfirmed: Bool
  /// The worker that runs the current release without its message.
  package var adoptedBy: WorkerID?
  package var standing: Standing
  /// Its assignment lies in the queue of its kind, not in its department's.
  package var isBeside: Bool
  /// The last grant; of an earlier release when the job's token is not above the present one's number.
  package var grant: GrantRecord?

  package init(
    job: Job, isConfirmed: Bool, adoptedBy: WorkerID? = nil, standing: Standing, isBeside: Bool = false,
    grant: GrantRecord? = nil
  ) {
    self.grant = grant
    self.isBeside = isBeside
    self.job = job
    self.isConfirmed = isConfirmed
    self.adoptedBy = adoptedBy
    self.standing = standing
  }
}

/// The place of a job that may be released.
package struct ReadyJob: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority
  package var standing: Standing

  package init(number: Int64, priority: Priority, standing: Standing) {
    self.number = number
    self.priority = priority
    self.standing = standing
  }
}

/// A job that is held, with all that its assignment needs.
package struct HeldJob: Hashable, Sendable {
  package var job: Job
  package var content: JobContent
  package var standing: Standing

  package init(job: Job, content: JobContent, standing: Standing) {
    self.job = job
    self.content = content
    self.standing = standing
  }
  package var payload: [UInt8] { content.payload }
  package var contentType: String? { content.contentType }
  package var trace: TraceContext { content.trace }
}

/// A worker that was welcomed and has neither said goodbye nor been given up: a restarted coordinator waits for it.
package struct WorkerRecord: Hashable, Sendable {
  package var id: WorkerID
  /// For people.
  package var name: String
  /// Tellers per department.
  package var tellers: [String: Int]
  /// Which of its connections was welcomed.
  package var session: Int
  /// How many tellers it was told to have, per department; its own number elsewhere.
  package var wanted: [String: Int]
  /// The user of the broker who announced it first, empty when the message named none; nil: not known.
  package var owner: String?
  /// The kinds that it has handlers for; nil: it takes every kind.
  package var kinds: Set<JobKind>?
  /// The last number that the claims had used when it was welcomed; it has been waited for ever since. Nil: not known.
  package var welcomedNumber: Int?

  package init(
    id: WorkerID, name: String, tellers: [String: Int], session: Int, wanted: [String: Int] = [:],
    owner: String? = nil, kinds: Set<JobKind>? = nil, welcomedNumber: Int? = nil
  ) {
    self.welcomedNumber = welcomedNumber
    self.kinds = kinds
    self.owner = owner
    self.id = id
    self.name = name
    self.tellers = tellers
    self.session = session
    self.wanted = wanted
  }
}

/// Which jobs to list; nil means any.
package struct JobFilter: Hashable, Sendable {
  package var department: Department?
  /// `running` is not recorded: it counts as `queued`.
  package var states: Set<JobState>?
  package var kind: JobKind?
  /// Only failed jobs that nobody has looked after; `states` says nothing then.
  package var unsettled: Bool
  /// Only jobs with a lower acceptance number: where the page before this one ended.
  package var before: Int64?
  /// At most this many, and never more than ``largestPage``.
  package var limit: Int

  package init(
    department: Department? = nil, states: Set<JobState>? = nil, kind: JobKind? = nil, unsettled: Bool = false,
    before: Int64? = nil, limit: Int = largestPage
  ) {
    self.department = department
    self.states = states
    self.kind = kind
    self.unsettled = unsettled
    self.before = before
    self.limit = limit
  }

  package static let largestPage = 1_000
}
