public import Foundation

/// An event that a plan receives: something that comes from outside, at any time, such as a push.
///
/// Before the plan has started, the event is kept; while the plan runs, the event is a step of its rank. Once the plan is
/// open, ``whenOpen`` says what becomes of the event.
public struct PlanEvent: Hashable, Sendable {
  /// The event's name. No other event of any plan of the coordinator has the same name.
  public var name: EventName
  /// The kind of job that acts on the event: it says which handler runs.
  public var kind: JobKind
  /// The place of the event's job among the steps: a lower rank goes first. 1–1,000,000.
  public var rank: Int
  /// What becomes of an event that comes while the plan is open.
  public var whenOpen: WhenOpen

  /// What becomes of an event that comes while the plan is open.
  public enum WhenOpen: String, Hashable, Sendable, CaseIterable {
    /// It is acted on at once.
    case run
    /// It is announced, and acted on when somebody accepts it.
    case announce
  }

  /// An event; without a kind, the kind has the event's name.
  public init(_ name: EventName, rank: Int, kind: JobKind? = nil, whenOpen: WhenOpen = .run) {
    self.name = name
    self.kind = kind ?? JobKind(of: name)
    self.rank = rank
    self.whenOpen = whenOpen
  }
}

extension PlanEvent: Codable {
  enum CodingKeys: String, CodingKey {
    case name, kind, rank
    case whenOpen = "when_open"
  }

  /// Reads an event; without a kind, the kind has the event's name.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try members.decode(EventName.self, forKey: .name), rank: try members.decode(Int.self, forKey: .rank),
      kind: try members.decodeIfPresent(JobKind.self, forKey: .kind),
      whenOpen: try members.decodeIfPresent(WhenOpen.self, forKey: .whenOpen) ?? .run)
  }
}

extension PlanEvent.WhenOpen: Codable {}

/// An event as the coordinator tells it: what has come, and what has become of it.
public struct EventStatus: Hashable, Sendable, Identifiable {
  /// The event's id. The job that acts on the event has the same id.
  public var id: JobID
  /// Counts the events that the coordinator has taken; nil: it is not told here.
  public var number: Int64?
  /// The event's name.
  public var name: EventName
  /// The plan that receives the event.
  public var plan: PlanName
  /// What has become of the event.
  public var state: EventState
  /// The department in which the event's job runs.
  public var department: Department
  /// The kind of the event's job.
  public var kind: JobKind
  package var receivedAt: Timestamp
  package var decidedAt: Timestamp?

  package init(
    id: JobID, number: Int64? = nil, name: EventName, plan: PlanName, state: EventState, department: Department,
    kind: JobKind,
    receivedAt: Timestamp, decidedAt: Timestamp?
  ) {
    self.id = id
    self.number = number
    self.name = name
    self.plan = plan
    self.state = state
    self.department = department
    self.kind = kind
    self.receivedAt = receivedAt
    self.decidedAt = decidedAt
  }
}

extension EventStatus {
  /// When the coordinator took the event. By the coordinator's clock.
  public var received: Date { receivedAt.date }
  /// When the event got its present state; nil: it came in it. An event that was acted on at once has none.
  public var decided: Date? { decidedAt?.date }
}

extension EventStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case id, number, name, plan, state, department, kind
    case receivedAt = "received_ms"
    case decidedAt = "decided_ms"
  }
}
