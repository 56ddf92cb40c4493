import JobModel

/// What whoever submitted a job wants of it, and so what may become of it.
struct Wanted: Hashable, Sendable {
  /// Whether each of its runs leaves a trace.
  var leavesTraces = true
  /// The states in which it may end. To fail because it was interrupted too often is looked at on its own.
  var outcomes: Set<JobState> = [.succeeded]
  /// How long after its submission it may start.
  var delay: Duration?
  /// What has to succeed before it may start.
  var after: JobID?
  /// One job at most has it.
  var key: String?
  /// Whether an operator may replay it when it has failed.
  var mayBeReplayed = false
}
