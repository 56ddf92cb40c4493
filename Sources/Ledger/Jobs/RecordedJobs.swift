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

/// The place of a job that may be released.
package struct ReadyJob: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority
  package var standing: Standing
}

/// A job that is held, with all that its assignment needs.
package struct HeldJob: Hashable, Sendable {
  package var job: Job
  package var content: JobContent
  package var standing: Standing
  package var payload: [UInt8] { content.payload }
  package var contentType: String? { content.contentType }
  package var trace: TraceContext { content.trace }
}

/// What decides whether a held job that is withheld can be released.
package struct WithheldJob: Hashable, Sendable {
  package var number: Int64
  package var priority: Priority
  /// Whether it may have killed workers, and has to wait for its turn, too.
  package var isSuspect: Bool
  package var standing: Standing
}
