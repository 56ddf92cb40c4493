/// How long a job waits between a failed attempt and the next one: longer each time, up to a limit.
public struct RetrySettings: Sendable, Hashable {
  /// The wait before the second attempt.
  public var first: Duration
  /// How many times longer each wait is than the last one; 1: all waits are the same.
  public var factor: Double
  /// The longest wait, without its jitter.
  public var longest: Duration
  /// The part of a wait, 0–1, by which the wait is shorter or longer at random: so jobs that failed together are not tried
  /// again together.
  public var jitter: Double

  /// The given settings, or the defaults: waits of 1 s, 2 s, 4 s and so on up to 10 minutes, each up to a fifth shorter or
  /// longer.
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

  /// What `first:` may say.
  package static let firstLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
  /// What `factor:` may say.
  package static let factorLimits: ClosedRange<Double> = 1...100
  /// What `max:` may say: up to thirty days.
  package static let longestLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(30 * 86_400))
  /// What `jitter:` may say, in percent.
  package static let jitterLimits = 0...100
}

extension RetrySettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case first, factor, max, jitter
  }

  /// Reads `first:`, `factor:`, `max:` and, in percent, `jitter:`.
  public init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if let first = try container.duration(.first, within: RetrySettings.firstLimits) {
      self.first = first
      longest = max(longest, first)
    }
    if let factor = try container.number(.factor, within: RetrySettings.factorLimits) { self.factor = factor }
    if let longest = try container.duration(.max, within: RetrySettings.longestLimits) { self.longest = longest }
    if let percent = try container.number(.jitter, within: RetrySettings.jitterLimits) {
      jitter = Double(percent) / 100
    }
    if longest < first {
      throw container.problem(.max, "it is shorter than the first wait of \(first.written)")
    }
  }
}
