public import Foundation

/// Which jobs are listed. What is nil leaves out no job.
public struct JobQuery: Hashable, Sendable {
  /// Only jobs of this department.
  public var department: Department?
  /// Only jobs in this state.
  public var state: JobState?
  /// Only jobs of this kind.
  public var kind: JobKind?
  /// Only failed jobs with this ``JobFailure/code``. Then ``state`` is nil or ``JobState/failed``.
  public var error: String?
  /// Only jobs that were submitted with this key, whether the key is still taken or not. Then ``kind`` is needed: each kind
  /// has keys of its own.
  public var key: String?
  /// Only the steps of this plan.
  public var plan: JobID?
  /// Only jobs whose id begins so: its first 8 or more digits, and perhaps `…` with the last ones, as `01a223e3…032c`.
  public var idPart: String?
  /// At most so many jobs in one page; within ``limits``.
  public var limit: Int
  /// Only jobs with a lower ``JobRecord/number``: the ``JobPage/next`` of the page before.
  public var before: Int64?
  /// Only failed jobs that were neither replayed nor dropped. Then ``state`` is nil or ``JobState/failed``.
  public var onlyUnsettled: Bool

  package var accepted = AcceptanceTime()

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for jobs that pass every one of these filters.
  public init(
    department: Department? = nil, state: JobState? = nil, kind: JobKind? = nil, since: Date? = nil,
    until: Date? = nil, error: String? = nil, key: String? = nil, plan: JobID? = nil, limit: Int = defaultLimit,
    before: Int64? = nil, onlyUnsettled: Bool = false, idPart: String? = nil
  ) {
    self.idPart = idPart
    self.department = department
    self.state = state
    self.kind = kind
    self.error = error
    self.key = key
    self.plan = plan
    self.limit = limit
    self.before = before
    self.onlyUnsettled = onlyUnsettled
    self.since = since
    self.until = until
  }

  /// Only jobs that were accepted at this moment or later, by the coordinator's clock, to the nearest millisecond.
  public var since: Date? {
    get { accepted.since?.date }
    set { accepted.since = newValue.map(Timestamp.init) }
  }

  /// Only jobs that were accepted before this moment, by the coordinator's clock, to the nearest millisecond.
  public var until: Date? {
    get { accepted.until?.date }
    set { accepted.until = newValue.map(Timestamp.init) }
  }
}

extension JobQuery {
  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? {
    let (fewest, most) = (JobQuery.limits.lowerBound, JobQuery.limits.upperBound)
    if !JobQuery.limits.contains(limit) { return "limit \(limit) is not between \(fewest) and \(most)" }
    if let idPart, JobIDPart(idPart) == nil {
      return "that is no part of an id: give its first \(JobIDPart.fewest) digits or more"
    }
    return problemOfState ?? problemOfKey ?? accepted.problem ?? JobFailure.problem(ofCode: error)
  }

  private var problemOfState: String? {
    guard let state, state != .failed else { return nil }
    if onlyUnsettled { return "only failed jobs are unsettled, not those that are \(state)" }
    return error == nil ? nil : "only failed jobs are found by their error, not those that are \(state)"
  }

  private var problemOfKey: String? {
    guard let key else { return nil }
    if kind == nil { return "give the kind with the key: each kind has keys of its own" }
    if (1...SubmissionKey.longest).contains(key.utf8.count) { return nil }
    return "a key has 1–\(SubmissionKey.longest) bytes, and this one has \(key.utf8.count)"
  }
}

extension JobQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case department, state, kind, error, key, plan, limit, before
    case since = "since_ms"
    case until = "until_ms"
    case onlyUnsettled = "unsettled"
    case idPart = "id"
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    state = try members.decodeIfPresent(JobState.self, forKey: .state)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    error = try members.decodeIfPresent(String.self, forKey: .error)
    key = try members.decodeIfPresent(String.self, forKey: .key)
    plan = try members.decodeIfPresent(JobID.self, forKey: .plan)
    idPart = try members.decodeIfPresent(String.self, forKey: .idPart)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? JobQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
    onlyUnsettled = try members.decodeIfPresent(Bool.self, forKey: .onlyUnsettled) ?? false
    accepted.since = try members.decodeIfPresent(Timestamp.self, forKey: .since)
    accepted.until = try members.decodeIfPresent(Timestamp.self, forKey: .until)
  }

  /// Writes the query.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(state, forKey: .state)
    try members.encodeIfPresent(kind, forKey: .kind)
    try members.encodeIfPresent(error, forKey: .error)
    try members.encodeIfPresent(key, forKey: .key)
    try members.encodeIfPresent(plan, forKey: .plan)
    try members.encodeIfPresent(idPart, forKey: .idPart)
    try members.encode(limit, forKey: .limit)
    try members.encodeIfPresent(before, forKey: .before)
    if onlyUnsettled { try members.encode(onlyUnsettled, forKey: .onlyUnsettled) }
    try members.encodeIfPresent(accepted.since, forKey: .since)
    try members.encodeIfPresent(accepted.until, forKey: .until)
  }
}

/// From when to when jobs were accepted; nil: from the first job, to the last job.
package struct AcceptanceTime: Hashable, Sendable {
  package var since: Timestamp?
  /// Jobs that were accepted at this moment are left out.
  package var until: Timestamp?

  package init() {}

  package var problem: String? {
    guard let since, let until, since >= until else { return nil }
    return "no job is accepted since one moment and until an earlier one: give an until that is later than the since"
  }
}

extension JobFailure {
  /// What is wrong with a code that is looked for, for people; nil: nothing.
  static func problem(ofCode code: String?) -> String? {
    guard let code, !(1...longestCode).contains(code.count) else { return nil }
    return "an error code has 1–\(longestCode) characters, and this one has \(code.count)"
  }
}
