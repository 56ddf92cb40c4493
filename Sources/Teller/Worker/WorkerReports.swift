import AMQP
import JobModel
import JobTransport
import Logging

/// Publishes the worker's durable messages, and acks the deliveries of what is confirmed.
extension WorkerLoop {
  /// Publishes the batches of the outbox, several at a time.
  func publishReports(_ link: WorkerLink) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for await _ in link.reportsDue.raised {
        while let batch = state.nextBatch(at: .now) {
          group.begin { try await self.publish(batch, on: link) }
        }
        finishedRuns.signal(at: state.worthwhileRuns)
      }
    }
  }

  private func publish(_ batch: ReportOutbox.Batch, on link: WorkerLink) async throws {
    FaultPoint.reached("worker.before-report")
    let packs = batch.packs(by: worker, at: .now)
    let results: [PublishResult]
    do {
      if batch.isEarly, try await isRecordedEarly(batch, packs.map(\.message), on: link) {
        results = packs.map { _ in .confirmed }
      } else {
        results = try await link.publishing.publish(contentsOf: packs.map(\.message) + batch.otherMessages)
      }
    } catch {
      take(.unpublished(batch))
      throw error
    }
    // The next batch, which has waited for this one, goes out while the deliveries of this one are acked.
    takeFinishedRuns()
    var rest = Rest()
    take(.published(batch, batch.results(of: packs, results)), &rest)
    if !rest.acknowledgements.acks.isEmpty { FaultPoint.reached("worker.after-report-before-ack") }
    // The tags are those of the present connection, also when the report went out on an earlier one.
    try await settle(rest, on: self.link?.consuming)
  }

  /// Sends reports to the coordinator's early queue.
  ///
  /// - Returns: whether the coordinator has recorded all of them.
  private func isRecordedEarly(
    _ batch: ReportOutbox.Batch, _ messages: [Publishing], on link: WorkerLink
  ) async throws -> Bool {
    var isRecorded: Bool?
    defer {
      earlyAnswer = nil
      take(.endedEarly(isRecorded: isRecorded))
    }
    // Reports for two ledgers are two messages.
    guard messages.count == 1, let message = EarlyCodec.encode(reports: messages[0]) else { return false }
    let answer = OneShot<Bool>()
    earlyAnswer = answer
    take(.sentEarly(batch))
    try link.publishing.publishSoon(contentsOf: [message])
    let limit = Task {
      try await Task.sleep(for: EarlyPause.patience)
      answer.fulfil(.success(false))
    }
    let isDone = (try? await answer.value) ?? false
    limit.cancel()
    isRecorded = isDone
    return isDone
  }
}
