/// What a command did to the jobs that it named. Each id is in exactly one list.
public struct JobChanges: Hashable, Sendable {
  /// The jobs that the command changed.
  public var changed: [JobID]
  /// The jobs that the command left as they are, each with the reason.
  public var unchanged: [Unchanged]
  /// For a replay: the new job of each of `changed`, in the same order.
  package var newJobs: [JobID]?

  package init(changed: [JobID] = [], replays: [JobID]? = nil, unchanged: [Unchanged] = []) {
    self.changed = changed
    newJobs = replays
    self.unchanged = unchanged
  }

  /// After a replay: the new job of each of ``changed``.
  public var replays: [JobID: JobID] {
    Dictionary(zip(changed, newJobs ?? []).map { ($0, $1) }, uniquingKeysWith: { $1 })
  }

  /// Adds the answer about further jobs.
  package mutating func append(_ other: JobChanges) {
    changed += other.changed
    unchanged += other.unchanged
    if let others = other.newJobs { newJobs = (newJobs ?? []) + others }
  }
}

extension JobChanges: Codable {
  enum CodingKeys: String, CodingKey {
    case changed, unchanged
    case newJobs = "replays"
  }

  /// A job that the command left as it is.
  public struct Unchanged: Hashable, Sendable, Codable {
    /// The job's id.
    public var job: JobID
    /// Why the job is left as it is.
    public var reason: Reason
    /// The replay of the job, if there is one.
    public var replay: JobID?

    package init(job: JobID, reason: Reason, replay: JobID? = nil) {
      self.job = job
      self.reason = reason
      self.replay = replay
    }
  }

  /// Why a job is left as it is: a short, stable word. A later version may have words that are none of these.
  public struct Reason: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The reason of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The coordinator knows no such job.
    public static let unknown = Reason(rawValue: "unknown")
    /// The job has ended.
    public static let ended = Reason(rawValue: "ended")
    /// The job has not failed.
    public static let notFailed = Reason(rawValue: "not_failed")
    /// The job was submitted again before.
    public static let replayed = Reason(rawValue: "replayed")
    /// The job was dropped before.
    public static let dropped = Reason(rawValue: "dropped")
    /// The job's plan was ready for its failure.
    public static let handled = Reason(rawValue: "handled")
    /// The coordinator's configuration does not name the job's department any more.
    public static let noDepartment = Reason(rawValue: "no_department")
  }
}
