public import Foundation

/// A subscriber that keeps its place by a name on the coordinator.
public struct SubscriberStatus: Hashable, Sendable, Identifiable {
  /// The subscriber's name.
  public var name: SubscriberName
  /// The epoch of the last event that the subscriber has handled.
  public var epoch: Int
  /// The number of that event in its epoch; 0: it has handled none of that epoch.
  public var sequence: Int64
  /// Where the broker keeps that event; nil: not known.
  public var offset: Int64?
  /// How many events the coordinator has recorded behind that one; nil: that one is of an earlier epoch.
  public var behind: Int64?
  private var seenMs: Timestamp

  /// The most subscribers that the coordinator keeps places for.
  public static let most = 1_000

  package init(
    name: SubscriberName, epoch: Int, sequence: Int64, offset: Int64?, behind: Int64?, seen: Timestamp
  ) {
    self.name = name
    (self.epoch, self.sequence, self.offset) = (epoch, sequence, offset)
    self.behind = behind
    seenMs = seen
  }

  /// The subscriber's name.
  public var id: SubscriberName { name }
  /// When the subscriber last told its place, by the coordinator's clock.
  public var seen: Date { seenMs.date }
}

extension SubscriberStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case name, epoch, offset, behind
    case sequence = "seq"
    case seenMs = "seen_ms"
  }
}

/// A part of the list of subscribers, by name.
public struct SubscriberPage: Hashable, Sendable, Codable {
  /// The subscribers.
  public var subscribers: [SubscriberStatus]
  /// The ``SubscriberQuery/after`` of the next page; nil: this page is the last.
  public var next: SubscriberName?

  package init(subscribers: [SubscriberStatus], next: SubscriberName?) {
    (self.subscribers, self.next) = (subscribers, next)
  }
}

/// Which subscribers are listed.
public struct SubscriberQuery: Hashable, Sendable {
  /// At most so many subscribers in one page; within ``limits``.
  public var limit: Int
  /// Only subscribers behind this name: the ``SubscriberPage/next`` of the page before.
  public var after: SubscriberName?

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for the next subscribers behind a name, or for the first ones.
  public init(limit: Int = defaultLimit, after: SubscriberName? = nil) { (self.limit, self.after) = (limit, after) }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { SubscriberQuery.limits.problem(of: limit) }
}

extension SubscriberQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case limit, after
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? SubscriberQuery.defaultLimit
    after = try members.decodeIfPresent(SubscriberName.self, forKey: .after)
  }
}

/// A subscriber whose place is kept no more.
public struct ForgottenSubscriber: Hashable, Sendable {
  /// The subscriber's name.
  public var name: SubscriberName
  /// Whether a place was kept for it.
  public var wasKept: Bool

  package init(name: SubscriberName, wasKept: Bool) { (self.name, self.wasKept) = (name, wasKept) }
}

extension ForgottenSubscriber: Codable {
  enum CodingKeys: String, CodingKey {
    case name
    case wasKept = "changed"
  }
}
