package import JobModel

/// What whoever submitted a job wants of it, and so what may become of it.
package struct Wanted: Hashable, Sendable {
  /// Whether each of its runs leaves a trace.
  package var leavesTraces = true
  /// The states in which it may end. To fail because it was interrupted too often is looked at on its own.
  package var outcomes: Set<JobState> = [.succeeded]
  /// How long after its submission it may start.
  package var delay: Duration?
  /// What has to succeed before it may start.
  package var after: JobID?
  /// One job at most has it.
  package var key: String?
  /// Whether an operator may replay it when it has failed.
  package var mayBeReplayed = false
  /// How long it rests between two runs; nil: nobody knows.
  package var pauses: Pauses?

  /// How long a job rests at least.
  package struct Pauses: Hashable, Sendable {
    /// After a failed attempt.
    package var retry: RetrySettings
    /// The same, as the handler asks.
    package var atLeast: Duration
    /// After a run that put the job off.
    package var snooze: Duration

    package init(retry: RetrySettings, atLeast: Duration = .zero, snooze: Duration = .zero) {
      (self.retry, self.atLeast, self.snooze) = (retry, atLeast, snooze)
    }
  }

  package init(
    leavesTraces: Bool = true, outcomes: Set<JobState> = [.succeeded], delay: Duration? = nil, after: JobID? = nil,
    key: String? = nil, mayBeReplayed: Bool = false
  ) {
    self.leavesTraces = leavesTraces
    self.outcomes = outcomes
    self.delay = delay
    self.after = after
    self.key = key
    self.mayBeReplayed = mayBeReplayed
  }
}
