package import JobModel

/// Handlers that wait for other jobs lend their tellers meanwhile: so a department whose tellers all wait goes on. When the
/// wait has ended, the handler goes on with the next teller that is free: never do more handlers work than there are
/// tellers.
extension WorkerState {
  /// What a handler is answered that wants to wait for another job.
  package enum Lending: Sendable {
    /// It waits, and its teller serves others meanwhile.
    case lent([WorkerAction])
    /// The worker drains, or too many handlers wait.
    case refused
    /// The handler's run is not here.
    case unknown
  }

  /// Lends the teller of a handler that begins to wait.
  package mutating func lendTeller(of release: ReleaseID, level: Int, at now: Instant) -> Lending {
    guard let job = jobs[release], job.hasRun else { return .unknown }
    guard !isDraining, tellers.lend(release, level: level, in: job.department) else { return .refused }
    act(.due(.staffing))
    // Before any delivery: this teller may be the only one.
    giveTellersBack(in: job.department)
    // A delivery may wait for a teller since the last connection was lost: it may be the job that is waited for.
    if isConnected { serveWaiting(in: job.department, at: now) }
    return .lent(takeActions())
  }

  mutating func takeTellerBack(of release: ReleaseID) {
    guard let department = jobs[release]?.department else { return }
    tellers.wantBack(release, in: department)
    giveTellersBack(in: department)
    act(.due(.staffing))
  }

  /// Has a handler that was cancelled go on at once: it is to end, and must not wait for that.
  mutating func goOnWithoutTeller(_ release: ReleaseID) {
    guard let department = jobs[release]?.department else { return }
    tellers.goOn(release, in: department)
  }
}
