/// The name of a plan. Of all runs of one name at most one is under way or open. 1–100 letters, digits, `-` and `_`.
public struct PlanName: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The plan's name.
  public let name: String

  /// A plan's name; nil when it is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// A name written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not a plan's name: 1–100 letters, digits, - and _")
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: PlanName, right: PlanName) -> Bool { left.name < right.name }
}

/// The name of an event that a plan receives, for example `push`. 1–100 letters, digits, `-` and `_`.
public struct EventName: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The event's name.
  public let name: String

  /// An event's name; nil when it is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// A name written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not an event's name: 1–100 letters, digits, - and _")
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: EventName, right: EventName) -> Bool { left.name < right.name }
}
