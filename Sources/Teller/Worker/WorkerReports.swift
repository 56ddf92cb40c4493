import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// What goes out durably: reports, claims and notices, and the acks of what is confirmed.
extension WorkerLoop {
  /// Publishes what the outbox has, several batches at a time.
  func publishReports(_ link: WorkerLink) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await _ in link.reportsDue.raised {
        while let batch = outbox.nextBatch() {
          group.begin { try await self.publish(batch, on: link) }
        }
        // Fewer would wait in the outbox: handlers need not wake the loop for them.
        finishedRuns.tell(of: outbox.worthwhile)
      }
    }
  }

  private func publish(_ batch: ReportOutbox.Batch, on link: WorkerLink) async throws {
    FaultPoint.reached("worker.before-report")
    let now = ContinuousClock.now
    let packs = ReportCodec.encode(batch.reports.map { $0.report(by: worker, at: now) })
    let results: [PublishResult]
    do {
      results = try await link.publishing.publish(contentsOf: packs.map(\.message) + otherMessages(of: batch))
    } catch {
      outbox.lost(batch)
      finishedRuns.tell(of: 1)
      throw error
    }
    // The answer to a message is the answer to each report in it.
    let answers = zip(packs, results).flatMap { repeatElement($1, count: $0.count) } + results.dropFirst(packs.count)
    let confirmed = outbox.settled(batch, answers)
    // What has waited for this batch goes out while its deliveries are acked.
    takeFinishedRuns()
    link.reportsDue.raise()
    if !confirmed.isEmpty { FaultPoint.reached("worker.after-report-before-ack") }
    try await settle(confirmed)
  }

  /// Notices, and all claims in one (in more, if they are of several ledgers), in this order; behind the reports.
  private func otherMessages(of batch: ReportOutbox.Batch) -> [Publishing] {
    let notices = batch.notices.map { notice in
      switch notice {
      case .dropped(let dropped): ReportCodec.encode(dropped)
      case .returned(let returned): ReportCodec.encode(returned)
      case .adopt(let adoption): ReportCodec.encode(adoption)
      }
    }
    return notices + ReportCodec.encode(batch.claims)
  }

  /// What is confirmed is the broker's now: its deliveries are done with, and its tellers free.
  private func settle(_ confirmed: ReportOutbox.Confirmed) async throws {
    var settlements = Settlements()
    var departments: Set<Department> = []
    settlements.acks = confirmed.reports.compactMap { tray.reportConfirmed($0) }
    // A drop that an earlier connection told is over with that connection; its release may be claimed by now.
    let drops = confirmed.drops.filter { tray.isDropping($0) }
    settlements.acks += drops.compactMap { tray.dropConfirmed($0) }
    for release in confirmed.reports + drops {
      guard let job = jobs[release] else { continue }
      letGo(release, of: job)
      departments.insert(job.department)
    }
    for department in departments { serveWaiting(in: department, &settlements) }
    // The tags are those of the present connection, also when the report went out on an earlier one.
    if let link { try await settlements.settle(on: link.consuming) }
    endIfDrained()
  }

  func ask(_ release: ReleaseID, ledger: LedgerID, number: Int) {
    outbox.add(ClaimRequest(release: release, ledger: ledger, worker: worker, number: number))
    link?.reportsDue.raise()
  }

  func sayDropped(_ release: ReleaseID, ledger: LedgerID) {
    outbox.add(.dropped(DroppedRelease(release: release, ledger: ledger, worker: worker)))
    link?.reportsDue.raise()
  }

  /// Has the coordinator find another worker for a job that has no handler here.
  func giveBack(_ release: ReleaseID, _ assignment: Assignment) {
    sayWhatIsMissing(assignment)
    sayReturned(release, ledger: assignment.ledger)
  }

  private func sayReturned(_ release: ReleaseID, ledger: LedgerID) {
    outbox.add(.returned(ReturnedRelease(release: release, ledger: ledger, worker: worker)))
    link?.reportsDue.raise()
  }

  /// Once for each kind.
  private func sayWhatIsMissing(_ assignment: Assignment) {
    let kind = assignment.kind
    guard missingKinds.count < WorkerLoop.missingKindsLimit, missingKinds.insert(kind).inserted else { return }
    let known = registry.kinds.map(\.name)
    let meant = Suggestion.nearest(to: kind.name, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
    logger.warning(
      """
      job \(assignment.job) goes back: this worker has no handler for kind "\(kind)" in department \
      \(assignment.department), only for \(known.joined(separator: ", "))\(meant); it runs where there is one, and the \
      attempt does not count
      """)
  }

  /// Asks and tells again what was not answered or confirmed, and publishes again what the broker refused.
  func tellAgain() {
    askToAdopt()
    for release in tray.dropping {
      guard let job = jobs[release] else { continue }
      sayDropped(release, ledger: job.assignment.ledger)
    }
    for release in tray.givingBack {
      guard let job = jobs[release] else { continue }
      sayReturned(release, ledger: job.assignment.ledger)
    }
    for (release, number) in tray.openClaims {
      guard let job = jobs[release] else { continue }
      outbox.add(
        ClaimRequest(release: release, ledger: job.assignment.ledger, worker: worker, number: number))
    }
    let refused = outbox.retryRefused()
    if refused > 0 {
      logger.warning("the broker refused \(refused) reports; publishing them again")
    }
  }

  /// The broker would take this worker for stuck if it kept the messages of long jobs to itself: it asks to be rid of
  /// them. Also for a job whose connection is lost: its copy may be in another worker's hands, or come back.
  ///
  /// Only who has the job is answered, and these questions outlive a coordinator that is away: each asks less and less
  /// often. A coordinator with another ledger than the job's would never answer.
  private func askToAdopt() {
    let now = ContinuousClock.now
    for running in tray.running where !tray.isAdopted(running.release) {
      guard let job = jobs[running.release], job.mayAskToBeAdopted(at: now, after: timeouts.adoptAfter),
        job.assignment.ledger == ledger
      else { continue }
      job.asksToBeAdopted(at: now)
      outbox.add(
        .adopt(
          AdoptionRequest(
            release: running.release, token: running.token, ledger: job.assignment.ledger, worker: worker)))
    }
  }
}
