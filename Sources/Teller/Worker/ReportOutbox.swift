import AMQP
import JobModel

/// An attempt that ended here and that the broker has not yet confirmed to have in `teller.reports`.
struct FinishedAttempt: Hashable, Sendable {
  var release: ReleaseID
  var token: Int
  var ledger: LedgerID
  var startedAt: ContinuousClock.Instant
  var ran: Duration
  var result: AttemptResult

  /// The report as it is sent now: the coordinator does not share this clock, and is told how long ago it was.
  func report(by worker: WorkerID, at now: ContinuousClock.Instant) -> Report {
    Report(
      release: release, token: token, ledger: ledger, worker: worker, startedAgo: startedAt.duration(to: now), ran: ran,
      result: result)
  }

  /// About how many bytes a report takes beside its result.
  private static let sizeWithoutResult = 1_024

  /// About how much memory it holds, in bytes.
  var size: Int {
    guard case .succeeded(let result, _) = result else { return FinishedAttempt.sizeWithoutResult }
    return FinishedAttempt.sizeWithoutResult + result.count
  }
}

/// What a worker says of a release beside its report.
enum Notice: Hashable, Sendable {
  /// It was void, and was not started.
  case dropped(DroppedRelease)
  /// There is no handler for it here, and it was not started.
  case returned(ReturnedRelease)
  /// It runs for so long that its message is to be acked.
  case adopt(AdoptionRequest)
}

/// What a worker has to tell in `teller.reports`, and in which order: reports, several batches of them at a time, with
/// notices behind them; and claims, each behind every report that was made before it.
///
/// Batches that are under way at the same time have no order among each other. So a batch with claims goes alone: after
/// all others are settled, its reports first. What is here is bounded by the number of tellers.
///
/// Reports are kept until they are confirmed. Claims and notices are not: their owner tells them again, until it has its
/// answer.
struct ReportOutbox: Sendable {
  struct Batch: Hashable, Sendable {
    var reports: [FinishedAttempt] = []
    var notices: [Notice] = []
    var claims: [ClaimRequest] = []
  }

  /// What of a batch the broker has.
  struct Confirmed: Hashable, Sendable {
    var reports: [ReleaseID] = []
    var drops: [ReleaseID] = []
    var isEmpty: Bool { reports.isEmpty && drops.isEmpty }
  }

  /// The most that is published at once.
  static let batchLimit = 256
  /// The most bytes that are published at once, by a rough estimate; one larger report goes alone.
  static let batchSize = 1 << 20
  /// The most batches that are under way at once: the next one is published while the confirms of the last ones are on
  /// their way.
  static let batchesUnderWay = 4

  private var reports: [FinishedAttempt] = []
  private var notices: [Notice] = []
  private var claims: [ClaimRequest] = []
  /// How many of `reports` were made before the last of `claims`.
  private var reportsAhead = 0
  /// How many of the reports are under way.
  private var reportsUnderWay = 0
  /// Reports that the broker refused, to be published again at the next tick: at once would be for ever.
  private var refused: [FinishedAttempt] = []
  /// The notices, and the numbers of the claims, that are here or under way.
  private var noticesToTell: Set<Notice> = []
  private var claimsToTell: Set<Int> = []
  private var underWay = 0
  private var isClaimUnderWay = false

  mutating func add(_ attempt: FinishedAttempt) {
    reports.append(attempt)
  }

  /// Tells, or tells again. A notice that is not yet told is not told twice.
  mutating func add(_ notice: Notice) {
    guard noticesToTell.insert(notice).inserted else { return }
    notices.append(notice)
  }

  /// Asks, or asks again. A claim that is not yet told is not told twice.
  mutating func add(_ claim: ClaimRequest) {
    guard claimsToTell.insert(claim.number).inserted else { return }
    claims.append(claim)
    reportsAhead = reports.count
  }

  /// The broker's answers to a batch: to its reports, then its notices.
  mutating func settled(_ batch: Batch, _ results: [PublishResult]) -> Confirmed {
    end(batch)
    var confirmed = Confirmed()
    for (report, result) in zip(batch.reports, results) {
      if result == .confirmed { confirmed.reports.append(report.release) } else { refused.append(report) }
    }
    for (notice, result) in zip(batch.notices, results.dropFirst(batch.reports.count)) where result == .confirmed {
      switch notice {
      case .dropped(let dropped): confirmed.drops.append(dropped.release)
      case .returned(let returned): confirmed.drops.append(returned.release)
      case .adopt: break
      }
    }
    return confirmed
  }

  /// Nobody knows what became of a batch: its reports are published again.
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

  /// How many reports the broker has refused since the last call; they are published again.
  mutating func retryRefused() -> Int {
    defer { refused = [] }
    reports.append(contentsOf: refused)
    return refused.count
  }

  /// The connection of the deliveries is lost, and with it every claim and whatever was to be dropped.
  mutating func disconnected() {
    for claim in claims { claimsToTell.remove(claim.number) }
    claims = []
    reportsAhead = 0
    noticesToTell.subtract(notices)
    notices = []
  }
}

extension ReportOutbox {
  /// What to publish now; nil: nothing, or not yet.
  mutating func nextBatch() -> Batch? {
    guard !isClaimUnderWay, underWay < ReportOutbox.batchesUnderWay else { return nil }
    guard claims.isEmpty ? !(reports.isEmpty && notices.isEmpty) && isWorthwhile : underWay == 0 else { return nil }
    var batch = Batch(reports: takeReports())
    batch.notices = takeNotices(atMost: ReportOutbox.batchLimit - batch.reports.count)
    if reportsAhead == 0 {
      batch.claims = takeClaims()
      isClaimUnderWay = !batch.claims.isEmpty
    }
    underWay += 1
    reportsUnderWay += batch.reports.count
    return batch
  }

  /// Every batch costs the broker and both ends the same, however little is in it. So one that would be smaller than what
  /// is under way waits, until it is not or that is confirmed: when nothing else is under way, a report goes at once.
  private var isWorthwhile: Bool { missing == 0 || !notices.isEmpty }

  /// How many reports more would make a batch that does not wait.
  private var missing: Int {
    underWay == 0 ? 0 : max(0, min(reportsUnderWay, ReportOutbox.batchLimit) - reports.count)
  }

  /// With how many new reports there is something to publish, as long as no batch is settled.
  var worthwhile: Int {
    let isFull = isClaimUnderWay || underWay == ReportOutbox.batchesUnderWay || (underWay > 0 && !claims.isEmpty)
    return isFull ? ReportOutbox.batchLimit : max(1, missing)
  }

  private mutating func takeReports() -> [FinishedAttempt] {
    var size = 0
    let taken = reports.prefix(ReportOutbox.batchLimit).prefix { report in
      defer { size += report.size }
      return size == 0 || size + report.size <= ReportOutbox.batchSize
    }
    reports.removeFirst(taken.count)
    reportsAhead = max(0, reportsAhead - taken.count)
    return Array(taken)
  }

  private mutating func takeNotices(atMost limit: Int) -> [Notice] {
    defer { notices.removeFirst(min(limit, notices.count)) }
    return Array(notices.prefix(limit))
  }

  private mutating func takeClaims() -> [ClaimRequest] {
    defer { claims.removeFirst(min(ClaimRequest.batchLimit, claims.count)) }
    return Array(claims.prefix(ClaimRequest.batchLimit))
  }
}
