import JobModel

/// The block `retry:` of a kind.
struct RetryBlock: Decodable {
  private(set) var settings = RetrySettings()

  /// What `first:` may say.
  private static let firstLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
  /// What `factor:` may say.
  private static let factorLimits: ClosedRange<Double> = 1...100
  /// What `max:` may say: up to thirty days.
  private static let longestLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(30 * 86_400))
  /// What `jitter:` may say, in percent.
  private static let jitterLimits = 0...100

  enum Keys: String, CodingKey, CaseIterable {
    case first, factor, max, jitter
  }

  /// Reads `first:`, `factor:`, `max:` and, in percent, `jitter:`.
  init(from decoder: any Decoder) throws {
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if let first = try container.duration(.first, within: RetryBlock.firstLimits) {
      settings.first = first
      settings.longest = max(settings.longest, first)
    }
    if let factor = try container.number(.factor, within: RetryBlock.factorLimits) { settings.factor = factor }
    if let longest = try container.duration(.max, within: RetryBlock.longestLimits) { settings.longest = longest }
    if let percent = try container.number(.jitter, within: RetryBlock.jitterLimits) {
      settings.jitter = Double(percent) / 100
    }
    if settings.longest < settings.first {
      throw container.problem(.max, "it is shorter than the first wait of \(settings.first.written)")
    }
  }
}
