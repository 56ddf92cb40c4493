package import JobModel

/// A job that has another state than before, as people see it: a queued job that a worker runs is `running`.
package struct JobChange: Sendable {
  package let job: JobIdentity
  package let plan: JobID?
  /// Nil: it was accepted just now.
  package let from: JobState?
  package let to: JobState
  package var outcome: Outcome?
  /// The notification that was recorded with the change; nil: the stream does not tell of it.
  package var notification: Notification?
}
