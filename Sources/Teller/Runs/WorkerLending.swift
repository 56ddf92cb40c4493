import JobModel

/// Lends the tellers of handlers that wait for other jobs: see ``WorkerState/lendTeller(of:level:at:)``.
extension WorkerLoop: TellerLender {
  /// After what time a job runs again whose handler may not wait now.
  static let waitingPause: Duration = .seconds(2)

  /// Begins a wait of a handler, and lends its teller.
  ///
  /// - Returns: A signal that ends the wait with an error; nil: there is no such job.
  /// - Throws: `JobSnooze`: the worker drains, or too many handlers wait.
  func lendTeller(of release: ReleaseID, level: Int) async throws(JobSnooze) -> OneShot<Void>? {
    switch state.lendTeller(of: release, level: level, at: .now) {
    case .unknown: return nil
    case .refused: throw JobSnooze(for: WorkerLoop.waitingPause)
    case .lent(let actions):
      var waits = runs[release]?.waits ?? RunWaits()
      waits.count += 1
      waits.teller?.fulfil()
      waits.teller = nil
      runs[release]?.waits = waits
      var rest = Rest()
      carryOut(actions, &rest)
      // Fails only with the connection: then the broker delivers all of them again.
      try? await settle(rest, on: link?.consuming)
      return waits.interruption
    }
  }

  /// Ends a wait of a handler.
  ///
  /// - Returns: A signal that comes when the handler has its teller again; nil: it may go on.
  func takeTellerBack(of release: ReleaseID) -> OneShot<Void>? {
    guard var waits = runs[release]?.waits else { return nil }
    waits.count -= 1
    if waits.count == 0 { waits.teller = OneShot<Void>() }
    runs[release]?.waits = waits
    guard let teller = waits.teller else { return nil }
    take(.wantsTellerBack(release))
    return teller
  }

  /// Has a handler that was cancelled go on at once: it is to end, and must not wait for that.
  func goOnWithoutTeller(_ release: ReleaseID) {
    take(.goesOnWithoutTeller(release))
    runs[release]?.waits?.teller = nil
  }

  func returnTeller(to release: ReleaseID) {
    runs[release]?.waits?.teller?.fulfil()
    runs[release]?.waits?.teller = nil
  }

  /// Ends all waits of handlers: a drain does not wait for jobs that nobody may serve any more.
  func endWaits() {
    for run in runs.values { run.waits?.interruption.fulfil(.failure(JobSnooze(for: WorkerLoop.waitingPause))) }
  }
}
