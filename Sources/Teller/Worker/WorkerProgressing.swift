import AMQP
import Decisions
import JobModel
import JobTransport

extension WorkerLoop {
  /// Tells the coordinator how far runs have come, in one go for all runs, and at most once in each interval. A message that
  /// is lost does no harm: no task waits for it.
  func tellProgress(_ link: WorkerLink) async throws {
    for await _ in link.progressDue.raised where state.end == nil {
      takeFinishedRuns()
      let runs = progress.takeChanges { state.tray.isRunning($0) }
      if runs.isEmpty { continue }
      do {
        for message in PresenceCodec.encode(WorkerProgress(worker: worker, runs: runs)) {
          try await link.publishing.publish(message)
        }
      } catch {
        progress.putBack(runs)
        throw error
      }
      try await Task.sleep(for: ProgressBoard.interval)
    }
  }
}
