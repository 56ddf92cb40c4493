/// A part of a list of jobs, the newest first.
///
///     var query = JobQuery(department: "loan", state: .held)
///     repeat {
///       let page = try await client.jobs(query)
///       for job in page.jobs { print(job.id, job.accepted) }
///       query.before = page.next
///     } while query.before != nil
public struct JobPage: Hashable, Sendable, Codable {
  /// The jobs, without attempts and results. A page may have fewer jobs than asked for, even none, and not be the last.
  public var jobs: [JobRecord]
  /// The ``JobQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(jobs: [JobRecord], next: Int64?) {
    self.jobs = jobs
    self.next = next
  }
}

/// Which jobs are listed. What is nil leaves out no job.
public struct JobQuery: Hashable, Sendable {
  /// Only jobs of this department.
  public var department: Department?
  /// Only jobs in this state.
  public var state: JobState?
  /// Only jobs of this kind.
  public var kind: JobKind?
  /// At most so many jobs in one page; within ``limits``.
  public var limit: Int
  /// Only jobs with a lower ``JobRecord/number``: the ``JobPage/next`` of the page before.
  public var before: Int64?
  /// Only failed jobs that were neither replayed nor dropped. Then ``state`` is nil or ``JobState/failed``.
  public var onlyUnsettled: Bool

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for jobs that pass every one of these filters.
  public init(
    department: Department? = nil, state: JobState? = nil, kind: JobKind? = nil, limit: Int = defaultLimit,
    before: Int64? = nil, onlyUnsettled: Bool = false
  ) {
    self.department = department
    self.state = state
    self.kind = kind
    self.limit = limit
    self.before = before
    self.onlyUnsettled = onlyUnsettled
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? {
    let (fewest, most) = (JobQuery.limits.lowerBound, JobQuery.limits.upperBound)
    if !JobQuery.limits.contains(limit) { return "limit \(limit) is not between \(fewest) and \(most)" }
    guard onlyUnsettled, let state, state != .failed else { return nil }
    return "only failed jobs are unsettled, not those that are \(state)"
  }
}

extension JobQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case department, state, kind, limit, before
    case onlyUnsettled = "unsettled"
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    state = try members.decodeIfPresent(JobState.self, forKey: .state)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? JobQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
    onlyUnsettled = try members.decodeIfPresent(Bool.self, forKey: .onlyUnsettled) ?? false
  }

  /// Writes the query.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(state, forKey: .state)
    try members.encodeIfPresent(kind, forKey: .kind)
    try members.encode(limit, forKey: .limit)
    try members.encodeIfPresent(before, forKey: .before)
    if onlyUnsettled { try members.encode(onlyUnsettled, forKey: .onlyUnsettled) }
  }
}
