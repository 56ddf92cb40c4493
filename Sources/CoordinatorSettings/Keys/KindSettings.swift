package import Decisions
import JobModel

extension KindSettings {
  /// What `timeout:` may say.
  private static let timeoutLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(86_400))
  /// What `start_within:` may say: up to a year.
  private static let startWithinLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))
}

extension KindSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case department, attempts, timeout
    case startWithin = "start_within"
    case retry
  }

  /// Reads `department:`, `attempts:`, `timeout:`, `start_within:` and `retry:`.
  package init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    department = try container.given(.department)
    attempts = try container.number(.attempts, within: Submission.attemptLimits)
    timeout = try container.duration(.timeout, within: KindSettings.timeoutLimits)
    startWithin = try container.duration(.startWithin, within: KindSettings.startWithinLimits)
    retry = try container.decodeIfPresent(RetryBlock.self, forKey: .retry)?.settings
  }
}
