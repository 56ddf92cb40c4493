import JobModel

/// Handlers that wait for other jobs lend their tellers meanwhile: so a department whose tellers all wait goes on. When the
/// wait has ended, the handler goes on with the next teller that is free: never do more handlers work than there are
/// tellers.
extension WorkerLoop: TellerLender {
  /// After what time a job runs again whose handler may not wait now.
  static let waitingPause: Duration = .seconds(2)

  /// Begins a wait of a handler, and lends its teller.
  ///
  /// - Returns: A signal that ends the wait with an error; nil: there is no such job.
  /// - Throws: `JobSnooze`: the worker drains, or too many handlers wait.
  func lendTeller(of release: ReleaseID, level: Int) async throws(JobSnooze) -> OneShot<Void>? {
    guard let job = jobs[release], job.run != nil else { return nil }
    let isLent = !isDraining && tellers.lend(release, level: level, in: job.department)
    guard isLent else { throw JobSnooze(for: WorkerLoop.waitingPause) }
    var waits = job.waits ?? RunWaits()
    waits.count += 1
    waits.teller?.fulfil()
    waits.teller = nil
    job.waits = waits
    link?.staffingDue.raise()
    // Before any delivery: this teller may be the only one.
    giveTellersBack(in: job.department)
    await serveWaiting(in: job.department)
    return waits.interruption
  }

  /// A delivery may wait for a teller since the last connection was lost: it may be the job that is waited for.
  private func serveWaiting(in department: Department) async {
    guard let link else { return }
    var acknowledgements = Acknowledgements()
    serveWaiting(in: department, &acknowledgements)
    // Fails only with the connection: then the broker delivers all of them again.
    try? await acknowledgements.send(on: link.consuming)
  }

  /// Ends a wait of a handler.
  ///
  /// - Returns: A signal that comes when the handler has its teller again; nil: it may go on.
  func takeTellerBack(of release: ReleaseID) -> OneShot<Void>? {
    guard let job = jobs[release], job.waits != nil else { return nil }
    job.waits?.count -= 1
    guard job.waits?.count == 0 else { return nil }
    let teller = OneShot<Void>()
    job.waits?.teller = teller
    tellers.wantBack(release, in: job.department)
    giveTellersBack(in: job.department)
    link?.staffingDue.raise()
    return teller
  }

  /// Has a handler that was cancelled go on at once: it is to end, and must not wait for that.
  func goOnWithoutTeller(_ release: ReleaseID) {
    guard let job = jobs[release] else { return }
    tellers.goOn(release, in: job.department)
    job.waits?.teller = nil
  }

  /// Ends all waits of handlers: a drain does not wait for jobs that nobody may serve any more.
  func endWaits() {
    for job in jobs.values { job.waits?.interruption.fulfil(.failure(JobSnooze(for: WorkerLoop.waitingPause))) }
  }
}
