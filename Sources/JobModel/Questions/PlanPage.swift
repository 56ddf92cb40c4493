public import Foundation

/// A part of the list of plans: those without a run, then runs, the newest first.
///
///     var query = PlanQuery(department: "init")
///     repeat {
///       let page = try await client.plans(query)
///       for plan in page.plans { print(plan.id, plan.stepsDone, plan.steps) }
///       query.before = page.next
///     } while query.before != nil
public struct PlanPage: Hashable, Sendable, Codable {
  /// The runs of plans. A page may have fewer than asked for, even none, and not be the last.
  public var plans: [PlanStatus]
  /// The plans of the coordinator's configuration that have never been started, by name. They come before all runs, and
  /// count for the limit of a page.
  public var notStarted: [PlanName]
  /// In the same way those that somebody has stopped before they were ever started.
  public var stopped: [PlanName]
  /// The ``PlanQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(plans: [PlanStatus], notStarted: [PlanName] = [], stopped: [PlanName] = [], next: Int64?) {
    self.plans = plans
    self.notStarted = notStarted
    self.stopped = stopped
    self.next = next
  }

  enum CodingKeys: String, CodingKey {
    case plans, stopped, next
    case notStarted = "not_started"
  }
}

/// One run of a plan. Dates are by the coordinator's clock.
public struct PlanStatus: Hashable, Sendable, Identifiable {
  /// The id of the run.
  public var id: JobID
  /// The plan's name; nil: the plan only runs.
  public var name: PlanName?
  /// Where the plan stands. Of an earlier run of a name: how it ended.
  public var phase: PlanPhase
  /// Counts the jobs and plans that the coordinator has accepted.
  public var number: Int64
  /// The department of the plan's steps.
  public var department: Department
  /// The run's state; while it goes on ``JobState/held``.
  public var state: JobState
  /// How many steps of the plan the ledger has. The ledger removes steps that ended long ago.
  public var steps: Int
  /// How many of these steps have ended, in whatever way.
  public var stepsDone: Int
  private var acceptedAt: Timestamp
  private var finishedAt: Timestamp?

  package init(
    id: JobID, name: PlanName? = nil, phase: PlanPhase, number: Int64, department: Department, state: JobState,
    steps: Int, stepsDone: Int,
    acceptedAt: Timestamp,
    finishedAt: Timestamp?
  ) {
    self.id = id
    self.name = name
    self.phase = phase
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
  /// When the steps had ended; nil: the plan runs.
  public var finished: Date? { finishedAt?.date }
}

extension PlanStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case id, name, phase, number, department, state, steps
    case stepsDone = "steps_done"
    case acceptedAt = "accepted_ms"
    case finishedAt = "finished_ms"
  }
}

/// Which plans are listed.
public struct PlanQuery: Hashable, Sendable {
  /// Only plans of this department; nil: all.
  public var department: Department?
  /// Ended runs, too; else those that go on, and the last run of each name.
  public var includesEnded: Bool
  /// At most so many plans in one page; within ``limits``.
  public var limit: Int
  /// Only runs with a lower ``PlanStatus/number``; or the ``PlanPage/next`` of the page before.
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
