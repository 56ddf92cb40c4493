public import JobModel
import JobTransport

/// What became of jobs that a command named.
public struct JobChanges: Hashable, Sendable {
  /// A job that was left as it is.
  public struct Unchanged: Hashable, Sendable {
    /// The job's id.
    public var job: JobID
    /// A short, stable word: `unknown`, `ended`, `not_failed`, `replayed`, `dropped` or `no_department`.
    public var reason: String
    /// The job that it was submitted again as, if it was.
    public var replay: JobID?
  }

  /// Those that the command changed.
  public var changed: [JobID]
  /// After a replay: the new job of each of `changed`.
  public var replays: [JobID: JobID]
  /// The others, and why.
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
  /// Takes in the answer about further jobs.
  mutating func append(_ other: ChangeDocument) {
    changed += other.changed
    unchanged += other.unchanged
    if let others = other.replays { replays = (replays ?? []) + others }
  }
}
