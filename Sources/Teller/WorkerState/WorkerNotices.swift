import Decisions
import JobModel
import JobTransport
import Logging

/// The messages of the worker about jobs that it has not run: claims, notices, questions about adoption.
extension WorkerState {
  /// How many kinds without a handler are logged at most.
  static let missingKindsLimit = 100

  mutating func claim(_ release: ReleaseID, number: Int) {
    guard let assignment = jobs[release]?.assignment else { return }
    outbox.add(
      ClaimRequest(
        release: release, ledger: assignment.ledger, worker: worker, number: number,
        attempts: policy(of: assignment)?.attempts))
    act(.due(.reports))
  }

  /// Tells that a release was not started here, and why.
  mutating func publish(_ notice: (UnstartedRelease) -> WorkerNotice, of release: ReleaseID) {
    guard let ledger = jobs[release]?.assignment.ledger else { return }
    outbox.add(notice(UnstartedRelease(release: release, ledger: ledger, worker: worker)))
    act(.due(.reports))
  }

  /// Logs once for each kind.
  mutating func logMissingHandler(_ assignment: Assignment) {
    let kind = assignment.kind
    guard missingKinds.count < WorkerState.missingKindsLimit, missingKinds.insert(kind).inserted else { return }
    let known = policies.keys.sorted().map(\.name)
    let meant = Suggestion.question(for: kind.name, in: known)
    act(
      .log(
        .warning,
        """
        job \(assignment.job) goes back: this worker has no handler for kind "\(kind)" in department \
        \(assignment.department), only for \(known.joined(separator: ", "))\(meant); it runs where there is one, and the \
        attempt does not count
        """))
  }

  /// Publishes again each notice without a confirm, each claim without an answer, and each report that was refused.
  mutating func publishAgain(at now: Instant) {
    askToAdopt(at: now)
    for release in tray.dropping { publish(WorkerNotice.dropped, of: release) }
    for release in tray.givingBack { publish(WorkerNotice.returned, of: release) }
    for (release, number) in tray.openClaims { claim(release, number: number) }
    let refused = outbox.retryRefused()
    if refused > 0 { act(.log(.warning, "the broker refused \(refused) reports; publishing them again")) }
  }

  /// Asks to adopt long jobs. The broker takes a consumer with a message that is un-acked for too long for stuck, so the
  /// message of a long job is acked while the job still runs. Also for a job whose connection is lost: a copy of its
  /// message may be in another worker's hands, or come back.
  ///
  /// Each job asks less and less often: while the coordinator is away, its questions pile up in a durable queue. A
  /// coordinator with another ledger than the job's would never answer.
  private mutating func askToAdopt(at now: Instant) {
    for running in tray.running where !tray.isAdopted(running.release) {
      guard let job = jobs[running.release], job.mayAskToBeAdopted(at: now, after: timeouts.adoptAfter),
        job.assignment.ledger == ledger
      else { continue }
      jobs[running.release]?.asksToBeAdopted(at: now)
      outbox.add(
        .adopt(
          AdoptionRequest(
            release: running.release, token: running.token, ledger: job.assignment.ledger, worker: worker)))
    }
  }
}
