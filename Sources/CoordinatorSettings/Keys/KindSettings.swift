import Decisions
import JobModel

extension KindSettings {
  /// What `timeout:` may say.
  private static let timeoutLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(86_400))
  /// What `start_within:` may say: up to a year.
  private static let startWithinLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))

  enum Keys: String, SettingsKey {
    case department, attempts, timeout
    case startWithin = "start_within"
    case retry
  }

  /// Reads `department:`, `attempts:`, `timeout:`, `start_within:` and `retry:`.
  init(_ block: SettingsBlock<Keys>, _ departments: KnownDepartments, _ mistakes: inout Mistakes) {
    self.init(
      department: block.name(.department, &mistakes) { Department($0) },
      attempts: block.number(.attempts, within: Submission.attemptLimits, &mistakes),
      timeout: block.duration(.timeout, within: KindSettings.timeoutLimits, &mistakes),
      startWithin: block.duration(.startWithin, within: KindSettings.startWithinLimits, &mistakes))
    departments.check(department, at: block[.department], &mistakes)
    if let node = block[.retry] { retry = RetrySettings(node, &mistakes) }
  }
}
