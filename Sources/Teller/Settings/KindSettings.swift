public import JobModel

/// The settings of a kind of job in `teller.yaml`. A job's own settings go before them.
public struct KindSettings: Sendable, Hashable {
  /// The department of the jobs; nil: the department of the kind's name.
  public var department: Department?
  /// How often a job is tried; nil: three times.
  public var attempts: Int?
  /// How long one attempt may run; nil: there is no limit.
  public var timeout: Duration?
  /// How long after its acceptance a job must have begun to run; nil: there is no limit.
  public var startWithin: Duration?
  /// How long a job waits after a failed attempt; nil: the defaults of ``RetrySettings``.
  public var retry: RetrySettings?

  /// The given settings, or the defaults.
  public init(
    department: Department? = nil, attempts: Int? = nil, timeout: Duration? = nil, startWithin: Duration? = nil,
    retry: RetrySettings? = nil
  ) {
    self.department = department
    self.attempts = attempts
    self.timeout = timeout
    self.startWithin = startWithin
    self.retry = retry
  }

  /// What `timeout:` may say.
  package static let timeoutLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(86_400))
  /// What `start_within:` may say: up to a year.
  package static let startWithinLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))
}

extension KindSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case department, attempts, timeout
    case startWithin = "start_within"
    case retry
  }

  /// Reads `department:`, `attempts:`, `timeout:`, `start_within:` and `retry:`.
  public init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if container.contains(.department) {
      department = try container.decode(Department.self, forKey: .department)
    }
    attempts = try container.number(.attempts, within: Submission.attemptLimits)
    timeout = try container.duration(.timeout, within: KindSettings.timeoutLimits)
    startWithin = try container.duration(.startWithin, within: KindSettings.startWithinLimits)
    retry = try container.decodeIfPresent(RetrySettings.self, forKey: .retry)
  }
}
