import Foundation

/// How long a job waits between a failed attempt and the next one: longer each time, up to a limit.
public struct RetrySettings: Sendable, Hashable {
  /// The wait before the second attempt.
  public var first: Duration
  /// How many times longer each wait is than the last one; 1: all waits are the same.
  public var factor: Double
  /// The longest wait, without its jitter.
  public var longest: Duration
  /// The part of a wait, 0–1, by which it varies at random: so jobs that failed together are not tried again together.
  public var jitter: Double

  /// The given settings, or the defaults: waits of 1 s, 2 s, 4 s and so on up to 10 minutes, each give or take a fifth.
  public init(
    first: Duration = RetrySettings.usualFirst, factor: Double = RetrySettings.usualFactor,
    longest: Duration = RetrySettings.usualLongest, jitter: Double = RetrySettings.usualJitter
  ) {
    self.first = first
    self.factor = factor
    self.longest = longest
    self.jitter = jitter
  }

  /// The default of ``first``.
  public static let usualFirst: Duration = .seconds(1)
  /// The default of ``factor``.
  public static let usualFactor = 2.0
  /// The default of ``longest``.
  public static let usualLongest: Duration = .seconds(600)
  /// The default of ``jitter``.
  public static let usualJitter = 0.2

  /// The `random` of a wait in the middle of its range.
  package static let middleOfJitter = 0.5

  /// How long to wait after an attempt.
  ///
  /// - Parameters:
  ///   - attempt: The one that failed, from 1.
  ///   - random: Between 0 and 1; where in the jitter's range this wait lies.
  /// - Returns: The wait, in whole milliseconds.
  package func delay(afterAttempt attempt: Int, random: Double) -> Duration {
    guard first > .zero else { return .zero }
    let growth = pow(max(1, factor), Double(max(0, attempt - 1)))
    let exact = min(longest / .seconds(1), first / .seconds(1) * growth)
    let spread = 1 + jitter * (2 * min(1, max(0, random)) - 1)
    return .milliseconds(Int64((exact * spread * 1_000).rounded()))
  }
}

/// On the wire: whole milliseconds, and thousandths.
extension RetrySettings: Codable {
  private enum CodingKeys: String, CodingKey {
    case first = "first_ms"
    case factor = "factor_permille"
    case longest = "max_ms"
    case jitter = "jitter_permille"
  }

  /// Reads the four members.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    first = .milliseconds(try members.decode(Int64.self, forKey: .first))
    factor = Double(try members.decode(Int.self, forKey: .factor)) / 1_000
    longest = .milliseconds(try members.decode(Int64.self, forKey: .longest))
    jitter = Double(try members.decode(Int.self, forKey: .jitter)) / 1_000
  }

  /// Writes the four members as whole numbers; the encoder decides about one that is infinite.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(first.milliseconds, forKey: .first)
    try members.encode((factor * 1_000).rounded(), forKey: .factor)
    try members.encode(longest.milliseconds, forKey: .longest)
    try members.encode((jitter * 1_000).rounded(), forKey: .jitter)
  }
}
