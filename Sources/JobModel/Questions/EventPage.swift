/// A part of the list of events, the newest first.
public struct EventPage: Hashable, Sendable, Codable {
  /// The events.
  public var events: [EventStatus]
  /// The ``EventQuery/before`` of the next page; nil: this page is the last.
  public var next: Int64?

  package init(events: [EventStatus], next: Int64?) { (self.events, self.next) = (events, next) }
}

/// Which events are listed.
public struct EventQuery: Hashable, Sendable {
  /// Only events of this plan; nil: all.
  public var plan: PlanName?
  /// Only events in this state; nil: all.
  public var state: EventState?
  /// At most so many events in one page; within ``limits``.
  public var limit: Int
  /// The ``EventPage/next`` of the page before; nil: the newest events.
  public var before: Int64?

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for events that pass every one of these filters.
  public init(plan: PlanName? = nil, state: EventState? = nil, limit: Int = defaultLimit, before: Int64? = nil) {
    (self.plan, self.state, self.limit, self.before) = (plan, state, limit, before)
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { EventQuery.limits.problem(of: limit) }
}

extension EventQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case plan, state, limit, before
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    plan = try members.decodeIfPresent(PlanName.self, forKey: .plan)
    state = try members.decodeIfPresent(EventState.self, forKey: .state)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? EventQuery.defaultLimit
    before = try members.decodeIfPresent(Int64.self, forKey: .before)
  }
}
