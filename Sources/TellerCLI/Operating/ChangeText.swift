import Teller

/// The changes of jobs that a command named, for people and for the shell.
struct ChangeText {
  let action: JobAction

  /// Prints a line for each job: a changed one on standard output, an unchanged one on standard error.
  func show(_ changes: JobChanges) {
    for line in lines(changes) { Output.line(line) }
    for note in notes(changes) { Output.note(note) }
  }

  /// `ID cancelled`, `ID replayed as ID`, `ID dropped`.
  func lines(_ changes: JobChanges) -> [String] {
    let replays = changes.replays
    return changes.changed.map { job in "\(job) \(done)" + (replays[job].map { " as \($0)" } ?? "") }
  }

  /// Why jobs are left as they are.
  func notes(_ changes: JobChanges) -> [String] {
    changes.unchanged.map { job in
      let why =
        switch job.reason {
        case .unknown: "the coordinator knows no such job"
        case .ended: "it has ended; `teller show` says how"
        case .notFailed: "it has not failed"
        case .replayed: "it was submitted again" + (job.replay.map { " as \($0)" } ?? "")
        case .dropped: "it was dropped"
        case .handled: "its plan was ready for its failure"
        case .noDepartment: "its department is not in the coordinator's teller.yaml any more"
        default: job.reason.rawValue
        }
      return "job \(job.job) is left as it is: \(why)"
    }
  }

  /// A job that the same command has changed before counts as changed: a command that was cut off may be repeated.
  func status(_ changes: JobChanges) -> ExitStatus {
    var reasons = Set(changes.unchanged.map(\.reason))
    // A job that has ended need not have been cancelled.
    if action != .cancel { reasons.remove(JobChanges.Reason(rawValue: done)) }
    if reasons.isEmpty { return .success }
    return reasons.contains(.unknown) ? .unknownJob : .rejected
  }

  private var done: String {
    switch action {
    case .cancel: "cancelled"
    case .replay: "replayed"
    case .drop: "dropped"
    }
  }
}
