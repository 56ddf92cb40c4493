/// The name by which a subscriber keeps its place on the coordinator, for example `audit`. 1–100 letters, digits, `-` and
/// `_`.
public struct SubscriberName: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The name itself.
  public let name: String

  /// A subscriber's name; nil when it is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: SubscriberName, right: SubscriberName) -> Bool { left.name < right.name }
}

extension SubscriberName: ExpressibleByStringLiteral {
  /// A name written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not a subscriber's name: 1–100 letters, digits, - and _")
    self.name = name
  }
}
