public import JobModel

extension RetrySettings {
  /// What `first:` may say.
  private static let firstLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
  /// What `factor:` may say.
  private static let factorLimits: ClosedRange<Double> = 1...100
  /// What `max:` may say: up to thirty days.
  private static let longestLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(30 * 86_400))
  /// What `jitter:` may say, in percent.
  private static let jitterLimits = 0...100
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
