import AMQP
import Logging
import JobModel
import JobTransport

/// What goes out durably: reports and claims, and the acks of what is confirmed.
extension WorkerLoop {
  /// Publishes what the outbox has, several batches at a time.
  func publishReports(_ link: WorkerLink) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await _ in link.reportsDue.raised {
        while let batch = outbox.nextBatch() {
          group.addTask { try await self.publish(batch, on: link) }
        }
      }
    }
  }

  private func publish(_ batch: ReportOutbox.Batch, on link: WorkerLink) async throws {
    FaultPoint.reached("worker.before-report")
    let now = ContinuousClock.now
    let messages =
      batch.reports.map { ReportCodec.encode($0.report(by: worker, at: now)) } + batch.claims.map(ReportCodec.encode)
    let results: [PublishResult]
    do {
      results = try await link.publishing.publish(contentsOf: messages)
    } catch {
      outbox.lost(batch)
      throw error
    }
    let confirmed = outbox.settled(batch, results)
    if !confirmed.isEmpty { FaultPoint.reached("worker.after-report-before-ack") }
    try await settle(confirmed)
    link.reportsDue.raise()
  }

  /// The reports are the broker's now: their deliveries are done with, and their tellers free.
  private func settle(_ confirmed: [ReleaseID]) async throws {
    var settlements = Settlements()
    var departments: Set<Department> = []
    for release in confirmed {
      if let tag = tray.reportConfirmed(release) { settlements.acks.append(tag) }
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

  /// Asks again what was not answered, and publishes again what the broker refused.
  func retryReports() {
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
}
