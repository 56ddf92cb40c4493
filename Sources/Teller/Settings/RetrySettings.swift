/// How long a job waits between an attempt that failed and the next one: longer each time, up to a limit.
public struct RetrySettings: Sendable, Hashable {
  /// Before the second attempt.
  public var first: Duration
  /// How many times longer each wait is than the one before; 1: always the same.
  public var factor: Double
  /// No wait is longer, jitter aside.
  public var longest: Duration
  /// The part of a wait, 0–1, by which it may be shorter or longer at random: jobs that failed together are not tried
  /// again together.
  public var jitter: Double

  /// The waits of a kind that says nothing: 1 s, 2 s, 4 s and so on up to 10 minutes, each a fifth shorter or longer.
  public init(
    first: Duration = RetrySettings.usualFirst, factor: Double = RetrySettings.usualFactor,
    longest: Duration = RetrySettings.usualLongest, jitter: Double = RetrySettings.usualJitter
  ) {
    self.first = first
    self.factor = factor
    self.longest = longest
    self.jitter = jitter
  }

  /// Before the second attempt, of a kind that says nothing.
  public static let usualFirst: Duration = .seconds(1)
  /// How many times longer each wait is.
  public static let usualFactor = 2.0
  /// No wait is longer.
  public static let usualLongest: Duration = .seconds(600)
  /// The part of a wait by which it is shorter or longer.
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
