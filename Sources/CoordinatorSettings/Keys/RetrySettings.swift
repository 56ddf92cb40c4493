import JobModel
import Yams

extension RetrySettings {
  /// What `first:` may say.
  private static let firstLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
  /// What `factor:` may say.
  private static let factorLimits: ClosedRange<Double> = 1...100
  /// What `max:` may say: up to thirty days.
  private static let longestLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(30 * 86_400))
  /// What `jitter:` may say, in percent.
  private static let jitterLimits = 0...100

  enum Keys: String, SettingsKey {
    case first, factor, max, jitter
  }

  /// Reads `first:`, `factor:`, `max:` and, in percent, `jitter:`. Nil when nothing stands there.
  init?(_ node: Node, over defaults: RetrySettings = RetrySettings(), _ mistakes: inout Mistakes) {
    guard !node.isNothing, let block = SettingsBlock<Keys>(node, named: "\"retry\"", &mistakes) else { return nil }
    self = defaults
    if let first = block.duration(.first, within: RetrySettings.firstLimits, &mistakes) {
      self.first = first
      longest = Swift.max(longest, first)
    }
    if let factor = block.number(.factor, within: RetrySettings.factorLimits, &mistakes) { self.factor = factor }
    if let longest = block.duration(.max, within: RetrySettings.longestLimits, &mistakes) { self.longest = longest }
    if let percent = block.number(.jitter, within: RetrySettings.jitterLimits, &mistakes) {
      jitter = Double(percent) / 100
    }
    if longest < first { block.note(.max, "it is shorter than the first wait of \(first.written)", &mistakes) }
  }
}
