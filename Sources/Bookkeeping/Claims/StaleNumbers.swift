import Decisions
package import JobModel
import Ledger
import Logging

/// Numbers of releases and tokens that this ledger never gave: they show that the ledger was rolled back.
extension Bookkeeper {
  /// Whether a report or a claim has such a number. Then nothing of the batch may be decided: the session ends, and the
  /// next session begins a new epoch.
  package func isBehind(_ batch: [ReportMessage]) -> Bool {
    batch.contains { message in
      switch message {
      // What is wrong in one place may be wrong in its numbers.
      case .report(let report):
        !report.isFlawed && report.ledger == ledger.id && isBehind(report.release, token: report.token)
      case .claims(let requests):
        requests.contains { $0.ledger == ledger.id && isBehind($0.release, token: $0.release.number) }
      case .dropped, .returned, .adopt, .fence, .refused, .flawed, .unreadable: false
      }
    }
  }

  /// Whether a worker says that it has a release with such a number.
  package func isBehind(_ batch: [PresenceMessage]) -> Bool {
    batch.contains { message in
      guard case .presence(let presence) = message, presence.ledger == ledger.id else { return false }
      return (presence.running + presence.waiting.map(\.run)).contains { isBehind($0.release, token: $0.token) }
    }
  }

  /// A number of an epoch that no ledger reaches was made up, and says nothing: else such a worker would begin a new
  /// epoch in each session, and nothing would be released.
  private func isBehind(_ release: ReleaseID, token: Int) -> Bool {
    let epoch = parts.epoch
    guard let job = parts.releases[release.job], epoch.isAhead(release, token: token, of: job.progress) else {
      return false
    }
    let shown = JobProgress.epoch(of: max(release.number, token))
    guard shown <= JobProgress.lastShownEpoch else {
      let reason = "release \(release.number), token \(token) of job \(release.job)"
      parts.refusals.note(.number, reason, .warning)
      return false
    }
    if epoch.shown == nil {
      logger.warning(
        "a worker has a number that the ledger never gave: the ledger was rolled back",
        metadata: [
          "job": "\(release.job)", "release": "\(release.number)", "token": "\(token)",
          "ledger": "\(job.progress.token)",
        ])
    }
    epoch.noteShown(shown)
    return true
  }
}
