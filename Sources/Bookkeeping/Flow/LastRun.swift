import JobModel

/// When and where a job's last attempt ended, by the ledger's time.
struct LastRun {
  var startedAt: Timestamp?
  var finishedAt: Timestamp
  var ran: Duration?
  var worker: WorkerID?

  /// The worker said how long ago it began. Its clock may differ, so only that is taken from it.
  init(of report: Report, at now: Timestamp) {
    let started = now - report.startedAgo
    startedAt = started
    finishedAt = min(now, started + report.ran)
    ran = report.ran
    worker = report.worker
  }

  /// The job ended without a report.
  init(at now: Timestamp) { finishedAt = now }
}
