public import JobModel
import JobTransport

/// What a command did to the jobs that it named.
public struct JobChanges: Hashable, Sendable {
  /// A job that the command left as it is.
  public struct Unchanged: Hashable, Sendable {
    /// The job's id.
    public var job: JobID
    /// A short, stable word: `unknown`, `ended`, `not_failed`, `replayed`, `dropped` or `no_department`.
    public var reason: String
    /// The replay of the job, if there is one.
    public var replay: JobID?
  }

  /// The jobs that the command changed.
  public var changed: [JobID]
  /// After a replay: the new job of each of `changed`.
  public var replays: [JobID: JobID]
  /// The other jobs, each with the reason.
  public var unchanged: [Unchanged]
}

extension JobChanges {
  init(_ document: ChangeDocument) {
    self.init(
      changed: document.changed,
      replays: Dictionary(zip(document.changed, document.replays ?? []).map { ($0, $1) }, uniquingKeysWith: { $1 }),
      unchanged: document.unchanged.map { Unchanged(job: $0.job, reason: $0.reason, replay: $0.replay) })
  }
}

extension ChangeDocument {
  /// Adds the answer about further jobs.
  mutating func append(_ other: ChangeDocument) {
    changed += other.changed
    unchanged += other.unchanged
    if let others = other.replays { replays = (replays ?? []) + others }
  }
}
