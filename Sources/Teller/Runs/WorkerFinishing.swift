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
  }
}
