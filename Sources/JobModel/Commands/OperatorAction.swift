public import Foundation

/// A command of an operator that was carried out: what it did, when, and who gave it. Or what was done without a command, as
/// an ``ActionNote`` says. The ledger keeps it as long as ended jobs.
public struct OperatorAction: Hashable, Sendable {
  /// Counts the actions.
  public var number: Int64
  /// The command, as a short, stable word: the type that it has on the wire, such as `pause` or `cancel`. Or the word of a
  /// note, such as `start_plan`, which is never the word of a command. A later version may have words that are none of
  /// today's.
  public var action: String
  /// The name that the command carries: who gave it, as its sender says. Nil: it carries none.
  public var by: OperatorName?
  /// The user of the broker who sent the command; nil: the message named none. The broker vouches for it.
  public var user: String?
  /// The job that the command was about; nil: it was about something else.
  public var job: JobID?
  /// The department of the command.
  public var department: Department?
  /// The kind of the command.
  public var kind: JobKind?
  /// The key, the plan, the worker or the subscriber of the command; of a note what it says.
  public var name: String?
  /// What the command asked for, where it had a choice: a new priority or rank, a number of tellers, what becomes of gates.
  /// Of a note what it says.
  public var detail: String?
  /// The operation that the command began.
  public var operation: JobOperation.ID?
  package var at: Timestamp

  package init(
    number: Int64 = 0, action: String, at: Timestamp, by: OperatorName? = nil, user: String? = nil, job: JobID? = nil,
    department: Department? = nil, kind: JobKind? = nil, name: String? = nil, detail: String? = nil,
    operation: JobOperation.ID? = nil
  ) {
    (self.number, self.action, self.at, self.by, self.user) = (number, action, at, by, user)
    (self.job, self.department, self.kind, self.name) = (job, department, kind, name)
    (self.detail, self.operation) = (detail, operation)
  }

  /// When the command was carried out, by the coordinator's clock.
  public var date: Date { at.date }
}

extension OperatorAction: Codable {
  enum CodingKeys: String, CodingKey {
    case number, action, by, user, job, department, kind, name, detail, operation
    case at = "at_ms"
  }
}

/// Which actions of operators are listed. What is nil leaves out none.
public struct ActionQuery: Hashable, Sendable {
  /// Only actions about this job.
  public var job: JobID?
  /// At most so many in one page; within ``limits``.
  public var limit: Int
  /// Only actions with a lower ``OperatorAction/number``: the ``ActionPage/next`` of the page before.
  public var before: Int64?

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for actions that pass these filters.
  public init(job: JobID? = nil, limit: Int = defaultLimit, before: Int64? = nil) {
    (self.job, self.limit, self.before) = (job, limit, before)
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? {
    if ActionQuery.limits.contains(limit) { return nil }
    return "limit \(limit) is not between \(ActionQuery.limits.lowerBound) and \(ActionQuery.limits.upperBound)"
  }
}

extension ActionQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case job, limit, before
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    job = try members.decodeIfPresent(JobID.self, forKey: .job)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? ActionQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
  }
}

/// A part of the list of actions, the newest first.
public struct ActionPage: Hashable, Sendable, Codable {
  /// The actions.
  public var actions: [OperatorAction]
  /// The ``ActionQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(actions: [OperatorAction], next: Int64?) { (self.actions, self.next) = (actions, next) }
}
