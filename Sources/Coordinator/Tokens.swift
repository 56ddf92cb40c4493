import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// What a token says: whether a run counts, and whether the ledger is behind what it has told.
extension Bookkeeper {
  /// Whether a worker has the release by the present token, its job's or its void place's. Who has it by an older one was
  /// given up: its run holds back no claim. One above is of a ledger that was rolled back, and is waited for.
  func counts(_ running: RunningRelease) -> Bool {
    if let token = voids.token(of: running.release) { return running.token >= token }
    guard let job = released[running.release.job], job.release == running.release else { return true }
    return running.token >= job.progress.token
  }

  /// Another worker was granted what this one still runs: it is to end it. A void release needs no word of its own: all
  /// were told that it has ended.
  func stopStale(_ presence: Presence, _ turn: Turn) {
    for running in presence.running where !counts(running) && !voids.contains(running.release) {
      turn.tell(.stop(presence.worker, running.release))
    }
  }
}

// MARK: - A ledger that is behind

extension Bookkeeper {
  /// Ends the session, before anything is decided, if a report or a claim has a number that this ledger never gave: the
  /// next session begins a new epoch.
  func endIfBehind(_ batch: [ReportMessage]) throws(AMQPError) {
    for message in batch {
      switch message {
      case .report(let report) where report.ledger == ledger.id:
        try endIfBehind(report.release, token: report.token)
      case .claims(let requests):
        for claim in requests where claim.ledger == ledger.id {
          try endIfBehind(claim.release, token: claim.release.number)
        }
      case .report, .dropped, .returned, .adopt, .fence, .refused, .unreadable: break
      }
    }
  }

  /// The same of what workers say that they run.
  func endIfBehind(_ batch: [PresenceMessage]) throws(AMQPError) {
    for case .presence(let presence) in batch where presence.ledger == ledger.id {
      for running in presence.running { try endIfBehind(running.release, token: running.token) }
    }
  }

  /// Numbers of an earlier epoch say nothing: that it is over is known. Nor do those of an epoch that no ledger comes to:
  /// a worker that made one up would else begin an epoch in each session, and nothing would be released.
  private func endIfBehind(_ release: ReleaseID, token: Int) throws(AMQPError) {
    guard let job = released[release.job] else { return }
    let earlier = JobProgress.lastNumber(before: epoch)
    guard release.number > max(job.progress.release, earlier) || token > max(job.progress.token, earlier) else {
      return
    }
    let shown = JobProgress.epoch(of: max(release.number, token))
    guard shown <= JobProgress.lastShownEpoch else {
      return logRefusal(.number, "release \(release.number), token \(token) of job \(release.job)", .warning)
    }
    if epochShown == nil {
      logger.warning(
        "a worker has a number that the ledger never gave: the ledger was rolled back",
        metadata: [
          "job": "\(release.job)", "release": "\(release.number)", "token": "\(token)",
          "ledger": "\(job.progress.token)",
        ])
    }
    epochShown = max(shown, epochShown ?? shown)
    throw AMQPError.connectionLost(reason: "the ledger was rolled back; a new epoch begins")
  }
}
