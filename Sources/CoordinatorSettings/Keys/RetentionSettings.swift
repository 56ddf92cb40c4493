import Decisions
import JobModel

extension RetentionSettings {
  /// What `time:` may say: up to ten years.
  private static let timeLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(3_650 * 86_400))
  /// What `size:` may say, in bytes: up to a petabyte.
  private static let sizeLimits: ClosedRange<Int64> = 1_000...1_000_000_000_000_000

  enum Keys: String, SettingsKey {
    case time, size, subscribers
  }

  /// What `subscribers:` may say. One that waits for events says every ten minutes that it is there.
  private static let subscriberLimits: ClosedRange<Duration> = .seconds(3_600)...(.seconds(3_650 * 86_400))

  /// Reads `time:`, `size:` and `subscribers:`.
  init(_ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    self.init(
      time: block.duration(.time, within: RetentionSettings.timeLimits, &mistakes),
      size: block.value(.size, &mistakes, RetentionSettings.size),
      subscribers: block.duration(.subscribers, within: RetentionSettings.subscriberLimits, &mistakes)
        ?? RetentionSettings.usualSubscribers)
  }

  private static func size(_ text: String) throws(BadValue) -> Int64 {
    guard let size = bytes(written: text) else {
      throw BadValue("\(Shown.text(text)) is no size: write for example 500MB or 2GB")
    }
    guard sizeLimits.contains(size) else { throw BadValue("it is not between 1KB and 1000000GB") }
    return size
  }

  /// Reads a number of bytes as people write it: `500MB`, `2GB`; a KB has 1,000 bytes. Nil for any other text.
  static func bytes(written text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [Substring: Int64] = ["KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000]
    guard let number = Int64(digits), let unit = units[text.dropFirst(digits.count)] else { return nil }
    return number.clampedMultiplied(by: unit)
  }
}
