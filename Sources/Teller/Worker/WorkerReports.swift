import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The worker's durable messages: reports, claims and notices; and the acks once they are confirmed.
extension WorkerLoop {
  /// Publishes the batches of the outbox, several at a time.
  func publishReports(_ link: WorkerLink) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await _ in link.reportsDue.raised {
        while let batch = outbox.nextBatch(mayBeEarly: early.isOpen(at: .now)) {
          group.begin { try await self.publish(batch, on: link) }
        }
        // Fewer reports would wait in the outbox: handlers need not wake the loop for them, unless a job waits for their
        // teller.
        finishedRuns.signal(at: tellers.hasWaiting ? 1 : outbox.worthwhile)
      }
    }
  }

  private func publish(_ batch: ReportOutbox.Batch, on link: WorkerLink) async throws {
    FaultPoint.reached("worker.before-report")
    let now = ContinuousClock.now
    let packs = ReportCodec.encode(batch.reports.map { $0.report(by: worker, at: now) })
    let results: [PublishResult]
    do {
      if batch.isEarly, try await isRecordedEarly(batch, packs.map(\.message), on: link) {
        results = packs.map { _ in .confirmed }
      } else {
        results = try await link.publishing.publish(contentsOf: packs.map(\.message) + otherMessages(of: batch))
      }
    } catch {
      outbox.lost(batch)
      finishedRuns.signal(at: 1)
      throw error
    }
    // The result of a message is the result of each report in it.
    let all = zip(packs, results).flatMap { repeatElement($1, count: $0.count) } + results.dropFirst(packs.count)
    let confirmed = outbox.published(batch, all)
    logRefusal(of: batch, all)
    // The next batch, which has waited for this one, goes out while the deliveries of this one are acked.
    takeFinishedRuns()
    link.reportsDue.raise()
    if !confirmed.isEmpty { FaultPoint.reached("worker.after-report-before-ack") }
    try await ackDeliveries(of: confirmed)
  }

  private func logRefusal(of batch: ReportOutbox.Batch, _ results: [PublishResult]) {
    guard batch.reports.count == 1, let reason = results.first?.refusal else { return }
    logger.error(
      "the broker does not take the report of a job, which fails: make its result smaller, or raise that limit",
      metadata: ["job": "\(batch.reports[0].release.job)", "reason": "\(reason)"])
  }

  /// Sends reports to the coordinator's early queue.
  ///
  /// - Returns: whether the coordinator has recorded all of them.
  private func isRecordedEarly(
    _ batch: ReportOutbox.Batch, _ messages: [Publishing], on link: WorkerLink
  ) async throws -> Bool {
    defer {
      // What has gathered meanwhile need not wait for the broker's disk as well.
      outbox.endedEarly()
      link.reportsDue.raise()
    }
    // Reports for two ledgers are two messages.
    guard messages.count == 1, let message = EarlyCodec.encode(reports: messages[0]) else { return false }
    let answer = early.begin(batch)
    try link.publishing.publishSoon(contentsOf: [message])
    let limit = Task {
      try await Task.sleep(for: EarlyPause.patience)
      answer.fulfil(.success(false))
    }
    let isRecorded = (try? await answer.value) ?? false
    limit.cancel()
    early.end(isRecorded: isRecorded, at: .now)
    return isRecorded
  }

  /// The messages behind the reports: notices, then all claims, in one message for each ledger.
  private func otherMessages(of batch: ReportOutbox.Batch) -> [Publishing] {
    let notices = batch.notices.map { notice in
      switch notice {
      case .dropped(let dropped): ReportCodec.encode(dropped: dropped)
      case .returned(let returned): ReportCodec.encode(returned: returned)
      case .adopt(let adoption): ReportCodec.encode(adoption)
      }
    }
    return notices + ReportCodec.encode(batch.claims)
  }

  /// Acks the deliveries of confirmed reports and drops, and frees their tellers.
  private func ackDeliveries(of confirmed: ReportOutbox.Confirmed) async throws {
    var acknowledgements = Acknowledgements()
    var departments: Set<Department> = []
    acknowledgements.acks = confirmed.reports.compactMap { tray.reportConfirmed($0) }
    // A drop of an earlier connection ended with that connection; its release may be claimed by now.
    let drops = confirmed.drops.filter { tray.isDropping($0) }
    acknowledgements.acks += drops.compactMap { tray.dropConfirmed($0) }
    for release in confirmed.reports + drops {
      guard let job = jobs[release] else { continue }
      letGo(release, of: job)
      departments.insert(job.department)
    }
    for department in departments { serveWaiting(in: department, &acknowledgements) }
    // The tags are those of the present connection, also when the report went out on an earlier one.
    if let link { try await acknowledgements.send(on: link.consuming) }
    endIfDrained()
  }
}
