package import AMQP
package import JobModel
import JobTransport

/// A worker's message about a release that is no report and no claim.
package enum WorkerNotice: Hashable, Sendable {
  /// The release was void, and was not started.
  case dropped(UnstartedRelease)
  /// There is no handler for the release here, and it was not started.
  case returned(UnstartedRelease)
  /// The release has run for so long that its message is to be acked.
  case adopt(AdoptionRequest)
}

/// The messages that a worker has for `teller.reports`, and their order: reports, in several batches at a time, with
/// notices behind them; and claims, each behind every report that was made before it.
///
/// Batches that are under way at the same time have no order among each other. So a batch with claims goes alone: after
/// all other batches have their results, and its reports first. The number of tellers bounds the outbox.
///
/// A report is kept until it is confirmed. A claim or a notice is not: the loop adds it again until it is answered.
package struct ReportOutbox: Sendable {
  package struct Batch: Hashable, Sendable {
    package var reports: [FinishedAttempt] = []
    package var notices: [WorkerNotice] = []
    package var claims: [ClaimRequest] = []
    /// Whether its reports go to the coordinator's early queue first.
    package var isEarly = false
  }

  /// The reports and drops of a batch that the broker has confirmed.
  struct Confirmed: Hashable, Sendable {
    var reports: [ReleaseID] = []
    var drops: [ReleaseID] = []
    var isEmpty: Bool { reports.isEmpty && drops.isEmpty }
  }

  /// The most reports and notices of a batch.
  static let batchLimit = 256
  /// The most bytes of a batch, by a rough estimate; a larger report goes alone.
  static let batchSize = 1 << 20
  /// The most reports of a batch that goes early: many reports are many jobs in hand, for which one message more is nothing.
  static let earlyLimit = 4
  /// The most batches that are under way at once: the next batch is published before the last ones are confirmed.
  static let batchesUnderWay = 4

  private var reports: [FinishedAttempt] = []
  private var notices: [WorkerNotice] = []
  private var claims: [ClaimRequest] = []
  /// How many of `reports` were made before the last of `claims`.
  private var reportsAhead = 0
  /// How many of the reports are under way.
  private var reportsUnderWay = 0
  /// Reports that the broker refused. They are published again at the next tick: at once would be an endless loop.
  private var refused: [FinishedAttempt] = []
  /// The reports of a message that the broker does not take. Each goes alone, so that only one that is too large itself is
  /// refused again.
  private var lone: Set<ReleaseID> = []
  /// The notices, and the numbers of the claims, that are here or under way.
  private var noticesToTell: Set<WorkerNotice> = []
  private var claimsToTell: Set<Int> = []
  private var underWay = 0
  private var isClaimUnderWay = false
  /// What comes meanwhile waits for a moment: its reports may go early then, and stay behind these.
  private var isEarlyUnderWay = false

  /// How many reports the broker has not confirmed.
  var unconfirmed: Int { reports.count + reportsUnderWay + refused.count }

  mutating func add(_ attempt: FinishedAttempt) {
    reports.append(attempt)
  }

  /// Adds a notice, perhaps once more. A notice that is still here or under way is not added twice.
  mutating func add(_ notice: WorkerNotice) {
    guard noticesToTell.insert(notice).inserted else { return }
    notices.append(notice)
  }

  /// Adds a claim, perhaps once more. A claim that is still here or under way is not added twice.
  mutating func add(_ claim: ClaimRequest) {
    guard claimsToTell.insert(claim.number).inserted else { return }
    claims.append(claim)
    reportsAhead = reports.count
  }

  /// Other claims take the place of those that have not gone out.
  mutating func forgetClaims() {
    for claim in claims { claimsToTell.remove(claim.number) }
    claims = []
    reportsAhead = 0
  }

  /// Takes in the broker's results of a batch: of its reports, then of its notices.
  mutating func published(_ batch: Batch, _ results: [PublishResult]) -> Confirmed {
    end(batch)
    var confirmed = Confirmed()
    for (report, result) in zip(batch.reports, results) { take(report, result, of: batch, into: &confirmed) }
    for (notice, result) in zip(batch.notices, results.dropFirst(batch.reports.count)) where result == .confirmed {
      switch notice {
      case .dropped(let unstarted), .returned(let unstarted): confirmed.drops.append(unstarted.release)
      case .adopt: break
      }
    }
    return confirmed
  }

  private mutating func take(
    _ report: FinishedAttempt, _ result: PublishResult, of batch: Batch, into confirmed: inout Confirmed
  ) {
    switch result {
    case .confirmed:
      lone.remove(report.release)
      confirmed.reports.append(report.release)
    case .refused where batch.reports.count > 1:
      lone.insert(report.release)
      reports.append(report)
    case .refused(_, let reason):
      if let failed = report.unpublishable(reason) { reports.append(failed) } else { refused.append(report) }
    case .nacked, .returned: refused.append(report)
    }
  }

  /// Takes in the loss of a batch without results: its reports are published again.
  mutating func lost(_ batch: Batch) {
    end(batch)
    reports.insert(contentsOf: batch.reports, at: 0)
    if !claims.isEmpty { reportsAhead += batch.reports.count }
  }

  private mutating func end(_ batch: Batch) {
    underWay -= 1
    reportsUnderWay -= batch.reports.count
    if !batch.claims.isEmpty { isClaimUnderWay = false }
    for claim in batch.claims { claimsToTell.remove(claim.number) }
    noticesToTell.subtract(batch.notices)
  }

  /// The reports of the early batch are recorded, or go to the durable queue now, and others may follow them.
  mutating func endedEarly() { isEarlyUnderWay = false }

  /// Has the refused reports published again.
  ///
  /// - Returns: how many reports the broker has refused since the last call.
  mutating func retryRefused() -> Int {
    defer { refused = [] }
    reports.append(contentsOf: refused)
    return refused.count
  }

  /// Notes that the connection of the deliveries is lost, and with it every claim and every notice.
  mutating func disconnected() {
    forgetClaims()
    noticesToTell.subtract(notices)
    notices = []
  }
}

extension ReportOutbox {
  /// The next batch to publish; nil: none, or not yet. `mayBeEarly`: the early queue is worth while at present.
  mutating func nextBatch(mayBeEarly: Bool) -> Batch? {
    guard !isClaimUnderWay, !isEarlyUnderWay, underWay < ReportOutbox.batchesUnderWay else { return nil }
    guard claims.isEmpty ? !(reports.isEmpty && notices.isEmpty) && isWorthwhile : underWay == 0 else { return nil }
    var batch = Batch(reports: takeReports())
    batch.isEarly = mayBeEarly && underWay == 0 && claims.isEmpty && notices.isEmpty && batch.isSmall
    isEarlyUnderWay = batch.isEarly
    batch.notices = notices.takeFirst(ReportOutbox.batchLimit - batch.reports.count)
    if reportsAhead == 0 {
      batch.claims = claims.takeFirst(ClaimRequest.batchLimit)
      isClaimUnderWay = !batch.claims.isEmpty
    }
    underWay += 1
    reportsUnderWay += batch.reports.count
    return batch
  }

  /// A batch costs the broker and both ends the same, however small it is. So a batch waits until it has as many reports
  /// as are under way, or those are confirmed. When nothing is under way, a report goes at once.
  private var isWorthwhile: Bool { missing == 0 || !notices.isEmpty }

  /// How many more reports would make a batch that does not wait.
  private var missing: Int {
    underWay == 0 ? 0 : max(0, min(reportsUnderWay, ReportOutbox.batchLimit) - reports.count)
  }

  /// How many new reports make a batch that does not wait, as long as no batch has its results.
  var worthwhile: Int {
    let isFull =
      isClaimUnderWay || isEarlyUnderWay || underWay == ReportOutbox.batchesUnderWay
      || (underWay > 0 && !claims.isEmpty)
    return isFull ? ReportOutbox.batchLimit : max(1, missing)
  }

  private mutating func takeReports() -> [FinishedAttempt] {
    var size = 0
    var isAlone = false
    let taken = reports.prefix(ReportOutbox.batchLimit).prefix { report in
      defer { (size, isAlone) = (size + report.size, lone.contains(report.release)) }
      if size == 0 { return true }
      return !isAlone && !lone.contains(report.release) && size + report.size <= ReportOutbox.batchSize
    }
    reports.removeFirst(taken.count)
    reportsAhead = max(0, reportsAhead - taken.count)
    return Array(taken)
  }
}

extension ReportOutbox.Batch {
  /// Whether its reports have room in an early message.
  fileprivate var isSmall: Bool {
    1...ReportOutbox.earlyLimit ~= reports.count && reports.reduce(0) { $0 + $1.size } <= EarlyCodec.byteLimit
  }
}

extension Array {
  /// Removes and returns the first elements, at most so many.
  fileprivate mutating func takeFirst(_ limit: Int) -> Self {
    defer { self = Array(dropFirst(limit)) }
    return Array(prefix(limit))
  }
}

// The messages of a batch.
extension ReportOutbox.Batch {
  /// A message, and how many reports are in it.
  package typealias Pack = (message: Publishing, count: Int)

  /// The messages of its reports. They say how long ago each attempt began.
  package func packs(by worker: WorkerID, at now: ContinuousClock.Instant) -> [Pack] {
    ReportCodec.encode(reports.map { $0.report(by: worker, at: now) })
  }

  /// The messages behind the reports: notices, then all claims, in one message for each ledger.
  package var otherMessages: [Publishing] {
    notices.map { notice in
      switch notice {
      case .dropped(let dropped): ReportCodec.encode(dropped: dropped)
      case .returned(let returned): ReportCodec.encode(returned: returned)
      case .adopt(let adoption): ReportCodec.encode(adoption)
      }
    } + ReportCodec.encode(claims)
  }

  /// The broker's results for each report, notice and claim: that of a message is that of each report in it.
  package func results(of packs: [Pack], _ results: [PublishResult]) -> [PublishResult] {
    zip(packs, results).flatMap { repeatElement($1, count: $0.count) } + results.dropFirst(packs.count)
  }
}
