public import JobModel

/// What `teller.yaml` says of a kind of job.
public struct KindSettings: Sendable, Hashable {
  /// The department of jobs that name none; nil: the department named as the kind.
  public var department: Department?
  /// How often a job that does not say so is tried; nil: three times.
  public var attempts: Int?
  /// How long one run may take; nil: as long as it likes.
  public var timeout: Duration?
  /// How long after its submission a job may still begin to run; nil: whenever its turn comes.
  public var startWithin: Duration?
  /// How long a job that failed waits for its next attempt; nil: as ``RetrySettings/init(first:factor:longest:jitter:)``
  /// has it.
  public var retry: RetrySettings?

  /// A kind's settings; what is not given has its default.
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
