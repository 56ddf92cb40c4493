/// How urgent a job is: 0–9, higher first, 4 when nobody says.
public struct Priority: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// 0–9.
  public let level: Int

  /// What a job has that was submitted without one.
  public static let normal: Priority = 4
  package static let highest: Priority = 9
  /// Every level there is.
  public static let levels = 0...9
  /// A priority of each level, the lowest first.
  package static let all = levels.compactMap { Priority($0) }

  /// A priority of that level; nil when it is not between 0 and 9.
  public init?(_ level: Int) {
    guard Priority.levels.contains(level) else { return nil }
    self.level = level
  }

  /// A priority written in the source. A level outside 0–9 is a mistake in that source, and stops the program.
  public init(integerLiteral level: Int) {
    precondition(Priority.levels.contains(level), "a priority is between 0 and 9, not \(level)")
    self.level = level
  }

  /// What a step of a plan is released with: rank 1 above rank 2, and so on down to 0.
  package init(rank: Int) {
    level = min(9, max(0, 10 - rank))
  }

  /// Reads a level, and refuses one outside 0–9.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let level = try container.decode(Int.self)
    guard let priority = Priority(level) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(level) is not between 0 and 9")
    }
    self = priority
  }

  /// Writes the level.
  public func encode(to encoder: any Encoder) throws { try level.encode(to: encoder) }

  /// The level.
  public var description: String { String(level) }
  /// By level: the less urgent one is smaller.
  public static func < (left: Priority, right: Priority) -> Bool { left.level < right.level }
}
