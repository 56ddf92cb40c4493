/// A part of the list of workers, in the order of their ids. Most ids follow the order in which the workers were started.
///
///     var query = WorkerQuery(department: "loan")
///     repeat {
///       let page = try await client.workers(query)
///       for worker in page.workers where worker.status.isDraining { print(worker.status.name) }
///       query.after = page.next
///     } while query.after != nil
public struct WorkerPage: Hashable, Sendable, Codable {
  /// The workers.
  public var workers: [Worker]
  /// The ``WorkerQuery/after`` of the next page; nil: this page is the last.
  public var next: WorkerID?

  package init(workers: [Worker], next: WorkerID?) {
    self.workers = workers
    self.next = next
  }

  /// One worker, with the kinds of its handlers.
  public struct Worker: Hashable, Sendable, Identifiable {
    /// The worker, as in ``TellerStatus/workers``.
    public var status: WorkerStatus
    /// The kinds that the worker has handlers for, by name; nil: it names none, and takes every kind of its departments.
    public var kinds: [JobKind]?

    package init(_ status: WorkerStatus, kinds: Set<JobKind>?) {
      self.status = status
      self.kinds = kinds?.sorted()
    }

    /// The worker's id.
    public var id: WorkerID { status.id }
  }
}

extension WorkerPage.Worker: Codable {
  private enum CodingKeys: String, CodingKey {
    case kinds
  }

  /// Reads the members of the status, and `kinds`, from one object.
  public init(from decoder: any Decoder) throws {
    status = try WorkerStatus(from: decoder)
    kinds = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent([JobKind].self, forKey: .kinds)
  }

  /// Writes the members of the status, and `kinds`, into one object.
  public func encode(to encoder: any Encoder) throws {
    try status.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(kinds, forKey: .kinds)
  }
}

/// Which workers are listed.
public struct WorkerQuery: Hashable, Sendable {
  /// Only workers that serve this department; nil: all.
  public var department: Department?
  /// At most so many workers in one page; within ``limits``.
  public var limit: Int
  /// Only workers with a higher id: the ``WorkerPage/next`` of the page before.
  public var after: WorkerID?

  /// What ``limit`` may be. A worker may have a thousand kinds.
  public static let limits = 1...100
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for the workers of a department, or for all.
  public init(department: Department? = nil, limit: Int = defaultLimit, after: WorkerID? = nil) {
    self.department = department
    self.limit = limit
    self.after = after
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { WorkerQuery.limits.problem(of: limit) }
}

extension WorkerQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case department, limit, after
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? WorkerQuery.defaultLimit
    after = try members.decodeIfPresent(WorkerID.self, forKey: .after)
  }
}

extension ClosedRange<Int> {
  /// What is wrong with the limit of a page, for people; nil: nothing.
  package func problem(of limit: Int) -> String? {
    contains(limit) ? nil : "limit \(limit) is not between \(lowerBound) and \(upperBound)"
  }
}
