import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Numbers that this ledger never gave: then it was rolled back, and is behind what it has told.
extension Bookkeeper {
  /// Ends the session, before anything is decided, if a report or a claim has such a number: the next session begins a new
  /// epoch.
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

  /// Numbers of an epoch that no ledger comes to say nothing: a worker that made one up would else begin an epoch in each
  /// session, and nothing would be released.
  private func endIfBehind(_ release: ReleaseID, token: Int) throws(AMQPError) {
    let epoch = parts.epoch
    guard let job = parts.releases[release.job], epoch.isAhead(release, token: token, of: job.progress) else { return }
    let shown = JobProgress.epoch(of: max(release.number, token))
    guard shown <= JobProgress.lastShownEpoch else {
      let reason = "release \(release.number), token \(token) of job \(release.job)"
      return parts.refusals.note(.number, reason, .warning)
    }
    if epoch.shown == nil {
      logger.warning(
        "a worker has a number that the ledger never gave: the ledger was rolled back",
        metadata: [
          "job": "\(release.job)", "release": "\(release.number)", "token": "\(token)",
          "ledger": "\(job.progress.token)",
        ])
    }
    epoch.shown = max(shown, epoch.shown ?? shown)
    throw AMQPError.connectionLost(reason: "the ledger was rolled back; a new epoch begins")
  }
}
