import JobModel
import JobTransport
import Ledger
import Logging

/// Failed jobs: submitted again, or taken off the list.
extension Bookkeeper {
  /// Submits the named jobs again, those that failed and were not submitted again before.
  func replay(_ ids: [JobID]) throws(LedgerError) -> ChangeDocument {
    try turn { turn in
      var document = ChangeDocument(replays: [])
      for id in ids {
        guard let job = try turn.ledger.job(id) else {
          document.leave(id, "unknown")
          continue
        }
        if let reason = job.reasonNotToReplay {
          document.leave(id, reason.text, replay: reason.replay)
        } else if let replay = try replay(job, turn) {
          document.changed.append(id)
          document.replays?.append(replay)
        } else {
          document.leave(id, "no_department")
        }
      }
      try fill(turn)
      return document
    }
  }

  /// Takes the named jobs off the list of those that somebody has to look after.
  func drop(_ ids: [JobID]) throws(LedgerError) -> ChangeDocument {
    try turn { turn in
      var document = ChangeDocument()
      for id in ids {
        guard let job = try turn.ledger.job(id) else {
          document.leave(id, "unknown")
          continue
        }
        if let reason = job.reasonNotToReplay {
          document.leave(id, reason.text, replay: reason.replay)
        } else {
          _ = try turn.ledger.settle(job.number, .dropped)
          document.changed.append(id)
        }
      }
      return document
    }
  }

  /// Submits a failed job again. The new job's id follows from the old one's, so that it happens once, however often it
  /// is asked for; it begins with its first attempt, and nobody is answered.
  ///
  /// - Returns: the new job's id; nil when its department is gone.
  func replay(_ job: Job, _ turn: Turn) throws -> JobID? {
    guard configuration.departments[job.department] != nil, let content = try turn.ledger.content(of: job.number) else {
      return nil
    }
    let now = self.now
    let id = JobID(replayOf: job.id)
    var again = NewJob(
      id: id, kind: job.kind, department: job.department, priority: job.priority, payload: content.payload,
      contentType: content.contentType, progress: JobProgress(maxAttempts: job.progress.maxAttempts),
      startBy: configuration.settings(of: job.kind).startWithin.map { now + $0 }, timeout: job.timeout, againOf: job.id,
      levelWorth: configuration.priorityWorth, trace: content.trace,
      acceptedAt: now)
    if self[desk: job.department].isOrdered { again.order = OrderPlace(plan: nil, rank: 0, position: 0) }
    try accept(again, turn)
    _ = try turn.ledger.settle(job.number, .replayed(id))
    return id
  }
}

extension Job {
  /// Why a job is not submitted again: it has not failed, or somebody has looked after it.
  fileprivate var reasonNotToReplay: (text: String, replay: JobID?)? {
    guard progress.state == .failed else { return ("not_failed", nil) }
    switch settlement {
    case .replayed(let replay): return ("replayed", replay)
    case .dropped: return ("dropped", nil)
    case nil: return nil
    }
  }
}

extension ChangeDocument {
  fileprivate mutating func leave(_ job: JobID, _ reason: String, replay: JobID? = nil) {
    unchanged.append(Unchanged(job: job, reason: reason, replay: replay))
  }
}
