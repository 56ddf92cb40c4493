public import Foundation

/// How many failed jobs there are that were neither replayed nor dropped, by department, kind and error code.
///
/// One answer counts a part of them, the newest first. Add the next parts up:
///
///     var query = FailureQuery(kind: "deposit")
///     var counts = try await client.failures(query)
///     while let next = counts.next {
///       query.before = next
///       counts.add(try await client.failures(query))
///     }
public struct FailureCounts: Hashable, Sendable, Codable {
  /// The counts, the largest first.
  public private(set) var lines: [Line]
  /// The ``FailureQuery/before`` of the failed jobs that are not counted; nil: all are.
  public private(set) var next: Int64?

  package init(lines: [Line], next: Int64?) {
    self.lines = lines.sorted(by: Line.isBefore)
    self.next = next
  }

  /// Adds the counts of further jobs. Then ``next`` is that of `other`.
  public mutating func add(_ other: FailureCounts) {
    var sums: [Line.Group: Line] = Dictionary(lines.map { ($0.group, $0) }, uniquingKeysWith: { $0.adding($1) })
    for line in other.lines { sums[line.group] = sums[line.group]?.adding(line) ?? line }
    self = FailureCounts(lines: Array(sums.values), next: other.next)
  }

  /// The failed jobs of one department and kind with one error code.
  public struct Line: Hashable, Sendable, Codable {
    /// The department of the jobs.
    public var department: Department
    /// The kind of the jobs.
    public var kind: JobKind
    /// The ``JobFailure/code`` of the jobs.
    @ExactText public var error: String
    /// How many jobs these are.
    public var jobs: Int
    /// The job that failed last.
    public var example: JobID
    package var newestAt: Timestamp

    package init(department: Department, kind: JobKind, error: String, jobs: Int, newestAt: Timestamp, example: JobID) {
      self.department = department
      self.kind = kind
      self.error = error
      self.jobs = jobs
      self.newestAt = newestAt
      self.example = example
    }

    /// When the last one of the jobs failed.
    public var newest: Date { newestAt.date }

    enum CodingKeys: String, CodingKey {
      case department, kind, error, jobs, example
      case newestAt = "newest_ms"
    }
  }
}

extension FailureCounts.Line {
  fileprivate struct Group: Hashable {
    var department: Department
    var kind: JobKind
    @ExactText var error: String
  }

  fileprivate var group: Group { Group(department: department, kind: kind, error: error) }

  fileprivate func adding(_ other: Self) -> Self {
    var sum = newestAt < other.newestAt ? other : self
    sum.jobs = jobs + other.jobs
    return sum
  }

  /// The largest count first; of equal counts by name.
  fileprivate static func isBefore(_ left: Self, _ right: Self) -> Bool {
    if left.jobs != right.jobs { return left.jobs > right.jobs }
    return (left.department.name, left.kind.name, ExactText(left.error))
      < (right.department.name, right.kind.name, ExactText(right.error))
  }
}

/// Which failed jobs are counted. What is nil leaves out no job.
public struct FailureQuery: Hashable, Sendable {
  /// Only jobs of this department.
  public var department: Department?
  /// Only jobs of this kind.
  public var kind: JobKind?
  /// Only jobs with this ``JobFailure/code``.
  public var error: String?
  /// Only jobs with a lower ``JobRecord/number``: the ``FailureCounts/next`` of the answer before.
  public var before: Int64?

  package var accepted = AcceptanceTime()

  /// A query for failed jobs that pass every one of these filters.
  public init(
    department: Department? = nil, kind: JobKind? = nil, since: Date? = nil, until: Date? = nil, error: String? = nil,
    before: Int64? = nil
  ) {
    self.department = department
    self.kind = kind
    self.error = error
    self.before = before
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

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { accepted.problem ?? JobFailure.problem(ofCode: error) }
}

extension FailureQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case department, kind, error, before
    case since = "since_ms"
    case until = "until_ms"
  }

  /// Reads a query.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    error = try members.decodeIfPresent(String.self, forKey: .error)
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
    accepted.since = try members.decodeIfPresent(Timestamp.self, forKey: .since)
    accepted.until = try members.decodeIfPresent(Timestamp.self, forKey: .until)
  }

  /// Writes the query.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(department, forKey: .department)
    try members.encodeIfPresent(kind, forKey: .kind)
    try members.encodeIfPresent(error, forKey: .error)
    try members.encodeIfPresent(before, forKey: .before)
    try members.encodeIfPresent(accepted.since, forKey: .since)
    try members.encodeIfPresent(accepted.until, forKey: .until)
  }
}
