import Decisions
package import JobModel
import JobTransport
import Logging

/// The runs of handlers: their start, their announcement to watches, their cancellation and their end.
extension WorkerState {
  mutating func start(_ release: ReleaseID, token: Int, attempt: Int, at now: Instant) {
    guard var job = jobs[release] else { return }
    job.assignment.attempt = attempt
    job.assignment.token = token
    job.startedAt = now
    act(
      .start(
        WorkerStart(
          assignment: job.assignment, problem: job.problem, department: job.department,
          retry: retries[job.assignment.kind])))
    job.assignment.content.payload = []
    jobs[release] = job
  }

  mutating func finish(_ run: FinishedAttempt, at now: Instant) {
    guard let department = jobs[run.release]?.department else { return }
    tray.finished(run.release)
    jobs[run.release]?.isAnnounced = true
    outbox.add(run)
    act(.due(.reports))
    if tellers.handlerEnded(run.release, in: department) { serveNext(in: department, at: now) }
  }

  /// Where jobs are taken ahead, the next one begins before the report of the last one is confirmed.
  private mutating func serveNext(in department: Department, at now: Instant) {
    giveTellersBack(in: department)
    ackingLater { $0.serveWaiting(in: department, at: now) }
  }

  /// Cancels the handler's task, unless it has ended.
  mutating func cancelRun(_ release: ReleaseID, _ reason: RunControl.Reason) {
    if jobs[release]?.hasRun == true { act(.cancel(release, reason)) }
  }

  /// Reports a handler as stuck. Nobody can end it by force: it keeps its teller.
  mutating func noteStuck(_ release: ReleaseID, _ reason: RunControl.Reason) {
    guard let job = jobs[release], tray.stuck(release) else { return }
    act(
      .log(
        .warning,
        """
        stuck: job \(release.job) (\(job.assignment.kind)) \(text(of: reason)), and its handler has not ended within \
        \(timeouts.grace); it keeps its teller in \(job.department) until it does, or until this worker is restarted
        """))
    act(.due(.presence))
  }

  private func text(of reason: RunControl.Reason) -> String {
    switch reason {
    case .timeout(let limit): "has run for longer than its time limit of \(limit.inWords)"
    case .jobEnded, .closed: "was cancelled"
    }
  }

  /// The stuck runs that keep a teller, and their departments. A teller that its handler has lent serves others.
  package var stuckRuns: [(release: ReleaseID, department: Department)] {
    tray.stuck.compactMap { release in
      guard let department = jobs[release]?.department, !tellers.isLent(release, in: department) else { return nil }
      return (release, department)
    }
  }

  /// A job that still runs after this is announced to the watches.
  package static let startedAfter: Duration = .milliseconds(100)

  var hasRunsToAnnounce: Bool { jobs.values.contains { !$0.isAnnounced && $0.hasRun } }

  /// The runs that are to be announced to the watches, each once. Runs that have ended by now were handed in before.
  package mutating func takeAnnouncements(at now: Instant) -> [Started] {
    var announced: [Started] = []
    for (release, job) in jobs where !job.isAnnounced {
      guard let startedAt = job.startedAt, now - startedAt >= WorkerState.startedAfter else { continue }
      jobs[release]?.isAnnounced = true
      announced.append(
        Started(
          worker: worker, release: release, token: job.assignment.token, kind: job.assignment.kind,
          department: job.assignment.department, attempt: job.assignment.attempt))
    }
    return announced
  }
}
