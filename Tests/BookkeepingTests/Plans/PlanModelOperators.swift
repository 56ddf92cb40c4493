import Decisions
import JobModel

// What operators do.

extension PlanModel {
  mutating func stop(_ gates: GateChoice) {
    if phase == .running { close(.stopped) } else { keepEvents() }
    if phase != .failed { phase = .stopped }
    areGatesOpen = gates == .open
    release()
  }

  mutating func cancel(_ id: JobID) {
    guard let index = index(of: id), !rows[index].job.state.isFinal else { return }
    finish(index, .cancelled, JobFailure.Code.cancelled)
    if isOfPresentRun(rows[index]) { advance() }
    release()
  }

  /// Everything that is there is cancelled, one job after the other; with the first job of the run, the whole run.
  mutating func reset() {
    for row in unfinished {
      if isOfPresentRun(row) { close(.stopped) }
      guard let index = index(of: row.job.id), !rows[index].job.state.isFinal else { continue }
      finish(index, .cancelled, JobFailure.Code.cancelled)
    }
    release()
  }

  /// A job has another place, and waits for the turn of its new rank.
  mutating func move(_ id: JobID, to rank: Int) {
    guard let index = index(of: id), !rows[index].job.state.isFinal, rows[index].job.rank != rank else { return }
    rows[index].job.rank = rank
    if rows[index].isReleased { hold(index) }
    // Whatever kept the plan from going back may stand elsewhere now.
    if isOfPresentRun(rows[index]) { advance() }
    release()
  }

  mutating func pause(_ isPaused: Bool) {
    self.isPaused = isPaused
    release()
  }
}
