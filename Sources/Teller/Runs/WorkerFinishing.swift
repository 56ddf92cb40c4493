import Decisions
import JobModel

/// The ends of runs.
extension WorkerLoop {
  /// Takes in finished runs, for as long as the worker lives.
  func collectRuns() async {
    for await _ in finishedRuns.signal.raised {
      takeFinishedRuns()
    }
  }

  func takeFinishedRuns() {
    let runs = finishedRuns.takeAll()
    for run in runs { finish(run) }
    if !runs.isEmpty { link?.reportsDue.raise() }
  }

  private func finish(_ run: FinishedAttempt) {
    guard let job = jobs[run.release] else { return }
    tray.finished(run.release)
    job.grace?.cancel()
    job.isAnnounced = true
    outbox.add(run)
    if tellers.handlerEnded(run.release, in: job.department) { serveNext(in: job.department) }
  }

  /// Where jobs are taken ahead, the next one begins before the report of the last one is confirmed.
  private func serveNext(in department: Department) {
    giveTellersBack(in: department)
    var acknowledgements = Acknowledgements()
    serveWaiting(in: department, &acknowledgements)
    guard !acknowledgements.acks.isEmpty else { return }
    tagsToAck += acknowledgements.acks
    link?.staffingDue.raise()
  }
}
