package import JobModel

/// The settings of a kind of job in `teller.yaml`. A job's own settings go before them.
package struct KindSettings: Sendable, Hashable {
  /// The department of the jobs; nil: the department of the kind's name.
  package var department: Department?
  /// How often a job is tried; nil: as the handler says, else three times.
  package var attempts: Int?
  /// How long one attempt may run; nil: as the handler says, else without a limit.
  package var timeout: Duration?
  /// How long after its acceptance a job must have begun to run; nil: there is no limit.
  package var startWithin: Duration?
  /// How long a job waits after a failed attempt; nil: the defaults of ``RetrySettings``.
  package var retry: RetrySettings?

  /// The given settings, or the defaults.
  package init(
    department: Department? = nil, attempts: Int? = nil, timeout: Duration? = nil, startWithin: Duration? = nil,
    retry: RetrySettings? = nil
  ) {
    self.department = department
    self.attempts = attempts
    self.timeout = timeout
    self.startWithin = startWithin
    self.retry = retry
  }
}
