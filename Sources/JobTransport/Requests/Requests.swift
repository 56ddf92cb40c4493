package import JobModel

/// The questions to the coordinator, over `teller.requests`. Each answer is the document that is named here.
package enum Request: Hashable, Sendable {
  /// The state of the coordinator, the departments and the workers: `StatusDocument`.
  case status
  /// Jobs, newest first: `JobsDocument`.
  case jobs(JobsQuery)
  /// One job with its attempts: `JobDocument`; error `not_found`.
  case show(JobID)
  /// The outcomes of jobs, as soon as all have one or the limit has passed: `WaitDocument`.
  case wait(WaitQuery)
  /// Why a job does not run, or has not ended: `ExplainDocument`; error `not_found`.
  case explain(JobID)
  /// A summary of jobs that have ended: `ReportDocument`.
  case report(ReportQuery)
  /// The progress of a command about many jobs: `OperationDocument`; error `not_found`.
  case operation(Int64)
}

/// Which jobs are listed.
package struct JobsQuery: Hashable, Sendable, QuestionBody {
  package var department: Department?
  package var state: JobState?
  package var kind: JobKind?
  /// At most this many.
  package var limit: Int
  /// Only jobs with a lower acceptance number: `next` of the page before.
  package var before: Int64?
  /// Only failed jobs that were neither replayed nor dropped since.
  package var unsettled: Bool

  /// What `limit` may be.
  package static let limits = 1...1_000
  /// The default of `limit`.
  package static let defaultLimit = 100

  package init(
    department: Department? = nil, state: JobState? = nil, kind: JobKind? = nil, limit: Int = defaultLimit,
    before: Int64? = nil, unsettled: Bool = false
  ) {
    self.department = department
    self.state = state
    self.kind = kind
    self.limit = limit
    self.before = before
    self.unsettled = unsettled
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    state = try members.decodeIfPresent(JobState.self, forKey: .state)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? JobsQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
    unsettled = try members.decodeIfPresent(Bool.self, forKey: .unsettled) ?? false
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(state, forKey: .state)
    try members.encodeIfPresent(kind, forKey: .kind)
    try members.encode(limit, forKey: .limit)
    try members.encodeIfPresent(before, forKey: .before)
    // Left out when it is false: a coordinator refuses a member that it does not know.
    if unsettled { try members.encode(unsettled, forKey: .unsettled) }
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case department, state, kind, limit, before, unsettled
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? {
    let (fewest, most) = (JobsQuery.limits.lowerBound, JobsQuery.limits.upperBound)
    if !(fewest...most).contains(limit) { return "limit \(limit) is not between \(fewest) and \(most)" }
    if unsettled, let state, state != .failed { return "only failed jobs are unsettled, not those that are \(state)" }
    return nil
  }
}

/// The jobs that a `wait` is about, and its limit.
package struct WaitQuery: Hashable, Sendable, QuestionBody {
  package var ids: [JobID]
  /// How long the coordinator may wait for the jobs to end.
  package var limit: Duration

  /// How many jobs one request may name.
  package static let idLimits = 1...1_000
  /// The longest `limit`.
  package static let longest: Duration = .seconds(30)

  package init(ids: [JobID], limit: Duration = longest) {
    self.ids = ids
    self.limit = limit
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    ids = try members.decode([JobID].self, forKey: .ids)
    limit = try members.decodeIfPresent(Int64.self, forKey: .limit).map { .milliseconds($0) } ?? WaitQuery.longest
  }

  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(ids, forKey: .ids)
    try members.encode(limit.milliseconds, forKey: .limit)
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case ids
    case limit = "limit_ms"
  }
}

/// The body of a `show`, an `explain` and an `operation`.
struct IDQuery<ID: Codable>: QuestionBody {
  var id: ID

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id
  }
}

extension Request {
  /// What is wrong with the request, for people; nil: nothing.
  package var problem: String? {
    switch self {
    case .status, .show, .explain, .operation: return nil
    case .report(let query): return query.problem
    case .jobs(let query): return query.problem
    case .wait(let query):
      let (fewest, most) = (WaitQuery.idLimits.lowerBound, WaitQuery.idLimits.upperBound)
      if !(fewest...most).contains(query.ids.count) {
        return "\(query.ids.count) ids are not between \(fewest) and \(most)"
      }
      if (.zero...WaitQuery.longest).contains(query.limit) { return nil }
      return "limit_ms \(query.limit.milliseconds) is not between 0 and \(WaitQuery.longest.milliseconds)"
    }
  }
}
