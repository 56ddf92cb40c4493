import AMQP
import Decisions
import JobModel
import JobTransport
import Logging

/// The worker's durable messages: reports, claims and notices; and the acks once they are confirmed.
extension WorkerState {
  /// The next batch to publish; nil: none, or not yet.
  package mutating func nextBatch(at now: Instant) -> ReportOutbox.Batch? {
    outbox.nextBatch(mayBeEarly: early.isOpen(at: now))
  }

  /// How many finished runs are worth to be handed in at once. Fewer reports would wait in the outbox: handlers need not wake
  /// the loop for them, unless a job waits for their teller.
  var worthwhileRuns: Int { tellers.hasWaiting ? 1 : outbox.worthwhile }

  mutating func published(_ batch: ReportOutbox.Batch, _ results: [PublishResult], at now: Instant) {
    let confirmed = outbox.published(batch, results)
    logRefusal(of: batch, results)
    act(.due(.reports))
    ackDeliveries(of: confirmed, at: now)
  }

  mutating func unpublished(_ batch: ReportOutbox.Batch) {
    outbox.lost(batch)
    act(.takeRuns(worthwhile: 1))
  }

  /// What has gathered meanwhile need not wait for the broker's disk as well.
  mutating func endedEarly(isRecorded: Bool?, at now: Instant) {
    if let isRecorded { early.end(isRecorded: isRecorded, at: now) }
    outbox.endedEarly()
    act(.due(.reports))
  }

  private mutating func logRefusal(of batch: ReportOutbox.Batch, _ results: [PublishResult]) {
    guard batch.reports.count == 1, let reason = results.first?.refusal else { return }
    act(
      .log(
        .error,
        "the broker does not take the report of a job, which fails: make its result smaller, or raise that limit",
        ["job": "\(batch.reports[0].release.job)", "reason": "\(reason)"]))
  }

  /// Acks the deliveries of confirmed reports and drops, and frees their tellers.
  private mutating func ackDeliveries(of confirmed: ReportOutbox.Confirmed, at now: Instant) {
    var departments: Set<Department> = []
    for release in confirmed.reports { if let tag = tray.reportConfirmed(release) { act(.ack(tag)) } }
    // A drop of an earlier connection ended with that connection; its release may be claimed by now.
    let drops = confirmed.drops.filter { tray.isDropping($0) }
    for release in drops { if let tag = tray.dropConfirmed(release) { act(.ack(tag)) } }
    for release in confirmed.reports + drops {
      guard let department = jobs[release]?.department else { continue }
      letGo(release, in: department)
      departments.insert(department)
    }
    for department in departments.sorted() { serveWaiting(in: department, at: now) }
  }
}
