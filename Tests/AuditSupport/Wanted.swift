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
    /// After a failed attempt: by one of these, as it was in force when that was recorded.
    package var retries: [Retry]
    /// The same, as the handler asks.
    package var atLeast: Duration
    /// After a run that put the job off.
    package var snooze: Duration

    package init(retries: [Retry], atLeast: Duration = .zero, snooze: Duration = .zero) {
      (self.retries, self.atLeast, self.snooze) = (retries, atLeast, snooze)
    }

    /// How long a job rests after a failed attempt, and when that may have been in force.
    package struct Retry: Hashable, Sendable {
      package var settings: RetrySettings
      /// Nil: from the beginning, and for good.
      package var from: Moment?
      package var until: Moment?

      package init(_ settings: RetrySettings, from: Moment? = nil, until: Moment? = nil) {
        (self.settings, self.from, self.until) = (settings, from, until)
      }
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
