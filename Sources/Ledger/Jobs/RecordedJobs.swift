package import JobModel

/// A job that is released and has no outcome yet.
package struct ReleasedJob: Hashable, Sendable {
  package var job: Job
  /// Whether the broker is known to have the assignment of the current release.
  package var isConfirmed: Bool
  /// The worker that has adopted the current release.
  package var adoptedBy: WorkerID?
  package var standing: Standing
  /// Whether its assignment lies in the queue of its kind, and not in that of its department.
  package var isBeside: Bool
  /// The last grant. It is one of an earlier release if the job's token is not above the number of the present one.
  package var grant: GrantRecord?
}

/// What decides whether a held job can be released.
package struct Candidate: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority
  package var standing: Standing
  /// Whether it may have killed workers, and has to wait for its turn.
  package var isSuspect = false
}

/// A job that is held, with all that its assignment needs.
package struct HeldJob: Hashable, Sendable {
  package var job: Job
  package var content: JobContent
  package var standing: Standing
}
