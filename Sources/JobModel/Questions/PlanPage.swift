public import Foundation

/// A part of the list of plans, the newest first.
///
///     var query = PlanQuery(department: "init")
///     repeat {
///       let page = try await client.plans(query)
///       for plan in page.plans { print(plan.id, plan.stepsDone, plan.steps) }
///       query.before = page.next
///     } while query.before != nil
public struct PlanPage: Hashable, Sendable, Codable {
  /// The plans. A page may have fewer plans than asked for, even none, and not be the last.
  public var plans: [PlanStatus]
  /// The ``PlanQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(plans: [PlanStatus], next: Int64?) {
    self.plans = plans
    self.next = next
  }
}

/// One plan. Dates are by the coordinator's clock.
public struct PlanStatus: Hashable, Sendable, Identifiable {
  /// The plan's id.
  public var id: JobID
  /// Counts the jobs and plans that the coordinator has accepted.
  public var number: Int64
  /// The department of the plan's steps.
  public var department: Department
  /// The plan's state; an open plan is ``JobState/held``.
  public var state: JobState
  /// How many steps of the plan the ledger has. The ledger removes steps that ended long ago.
  public var steps: Int
  /// How many of these steps have ended, in whatever way.
  public var stepsDone: Int
  private var acceptedAt: Timestamp
  private var finishedAt: Timestamp?

  package init(
    id: JobID, number: Int64, department: Department, state: JobState, steps: Int, stepsDone: Int,
    acceptedAt: Timestamp,
    finishedAt: Timestamp?
  ) {
    self.id = id
    self.number = number
    self.department = department
    self.state = state
    self.steps = steps
    self.stepsDone = stepsDone
    self.acceptedAt = acceptedAt
    self.finishedAt = finishedAt
  }

  /// When the plan was recorded.
  public var accepted: Date { acceptedAt.date }
  /// When the plan ended; nil: it is open.
  public var finished: Date? { finishedAt?.date }
}

extension PlanStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case id, number, department, state, steps
    case stepsDone = "steps_done"
    case acceptedAt = "accepted_ms"
    case finishedAt = "finished_ms"
  }
}

/// Which plans are listed.
public struct PlanQuery: Hashable, Sendable {
  /// Only plans of this department; nil: all.
  public var department: Department?
  /// Ended plans, too; else open plans alone.
  public var includesEnded: Bool
  /// At most so many plans in one page; within ``limits``.
  public var limit: Int
  /// Only plans with a lower ``PlanStatus/number``: the ``PlanPage/next`` of the page before.
  public var before: Int64?

  /// What ``limit`` may be. The coordinator counts the steps of each plan of a page.
  public static let limits = 1...100
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for plans that pass every one of these filters.
  public init(
    department: Department? = nil, includesEnded: Bool = false, limit: Int = defaultLimit, before: Int64? = nil
  ) {
    self.department = department
    self.includesEnded = includesEnded
    self.limit = limit
    self.before = before
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { PlanQuery.limits.problem(of: limit) }
}

extension PlanQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case department, limit, before
    case includesEnded = "ended"
  }

  /// Reads a query; a limit that is missing is the default, and ended plans are left out unless it says otherwise.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    department = try members.decodeIfPresent(Department.self, forKey: .department)
    includesEnded = try members.decodeIfPresent(Bool.self, forKey: .includesEnded) ?? false
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? PlanQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
  }
}
