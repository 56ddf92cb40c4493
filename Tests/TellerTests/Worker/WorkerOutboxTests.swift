import AMQP
import JobModel
import Testing
import TestSupport

@testable import Teller

/// An outbox whose changes are calls, so that they can be expected.
final class OutboxBox {
  private var outbox = ReportOutbox()

  func add(_ attempt: FinishedAttempt) { outbox.add(attempt) }
  func add(_ claim: ClaimRequest) { outbox.add(claim) }
  func add(_ notice: WorkerNotice) { outbox.add(notice) }
  func nextBatch(mayBeEarly: Bool = false) -> ReportOutbox.Batch? { outbox.nextBatch(mayBeEarly: mayBeEarly) }
  func published(_ batch: ReportOutbox.Batch, _ results: [PublishResult]) -> ReportOutbox.Confirmed {
    outbox.published(batch, results)
  }
  func lost(_ batch: ReportOutbox.Batch) { outbox.lost(batch) }
  func endedEarly() { outbox.endedEarly() }
  func retryRefused() -> Int { outbox.retryRefused() }
  func disconnected() { outbox.disconnected() }
  var worthwhile: Int { outbox.worthwhile }
}

@Suite("The outbox of reports and claims")
struct WorkerOutboxTests: OutboxSamples {
  @Test("reports of a message that the broker does not take go alone, and one that is refused alone ends its attempt")
  func refusedAlone() throws {
    let box = OutboxBox()
    let attempts = [attempt(10), attempt(50_000), attempt(20)]
    for attempt in attempts { box.add(attempt) }
    let together = try #require(box.nextBatch())
    #expect(together.reports.count == 3)
    let refusal = PublishResult.refused(code: 406, text: "message size 70000 is larger than 65536")
    #expect(box.published(together, [refusal, refusal, refusal]).isEmpty)
    var confirmed: [ReleaseID] = []
    var ended: [FinishedAttempt] = []
    while let batch = box.nextBatch() {
      try #require(batch.reports.count == 1, "each goes alone")
      let report = batch.reports[0]
      ended.append(report)
      confirmed += box.published(batch, [report.size > 10_000 ? refusal : .confirmed]).reports
    }
    #expect(Set(confirmed) == Set(attempts.map(\.release)))
    let last = try #require(ended.last { $0.release == attempts[1].release })
    guard case .failed(let failure, isPermanent: true) = last.result else {
      Issue.record("\(last.result)")
      return
    }
    #expect(failure.code == JobFailure.Code.unpublishable && failure.message.contains("65536"))
    #expect(box.retryRefused() == 0)
  }

  private func confirms(_ batch: ReportOutbox.Batch) -> [PublishResult] {
    Array(repeating: .confirmed, count: batch.reports.count + batch.notices.count + batch.claims.count)
  }

  @Test("reports go out in several batches at a time, and no more")
  func pipelined() throws {
    let outbox = OutboxBox()
    let attempts = (0..<(ReportOutbox.batchLimit * (ReportOutbox.batchesUnderWay + 1))).map { _ in attempt() }
    attempts.forEach { outbox.add($0) }
    var batches: [ReportOutbox.Batch] = []
    while let batch = outbox.nextBatch() { batches.append(batch) }
    #expect(batches.count == ReportOutbox.batchesUnderWay)
    #expect(batches.allSatisfy { $0.reports.count == ReportOutbox.batchLimit })
    let first = try #require(batches.first)
    #expect(outbox.published(first, confirms(first)).reports == first.reports.map(\.release))
    #expect(outbox.nextBatch()?.reports == Array(attempts.suffix(ReportOutbox.batchLimit)))
  }

  @Test("a batch that would be smaller than what is under way waits until it is not, or that is confirmed")
  func worthwhile() throws {
    let outbox = OutboxBox()
    #expect(outbox.worthwhile == 1)
    for _ in 0..<3 { outbox.add(attempt()) }
    let first = try #require(outbox.nextBatch())
    #expect(outbox.worthwhile == 3)
    for _ in 0..<2 { outbox.add(attempt()) }
    #expect(outbox.nextBatch() == nil)
    #expect(outbox.worthwhile == 1)
    outbox.add(attempt())
    let second = try #require(outbox.nextBatch())
    #expect(second.reports.count == 3)
    outbox.add(attempt())
    #expect(outbox.nextBatch() == nil)
    #expect(outbox.worthwhile == 5)
    _ = outbox.published(first, confirms(first))
    #expect(outbox.nextBatch() == nil)
    outbox.lost(second)
    #expect(outbox.nextBatch()?.reports.count == 4)
  }

  @Test("a claim goes behind every report that was made before it, in however many batches those are")
  func behindReports() throws {
    let outbox = OutboxBox()
    for _ in 0..<ReportOutbox.batchLimit + 3 { outbox.add(attempt()) }
    outbox.add(claim(1))
    let first = try #require(outbox.nextBatch())
    #expect(first.reports.count == ReportOutbox.batchLimit && first.claims.isEmpty)
    #expect(outbox.nextBatch() == nil, "two batches under way have no order")
    _ = outbox.published(first, confirms(first))
    let second = try #require(outbox.nextBatch())
    #expect(second.reports.count == 3 && second.claims.map(\.number) == [1])
  }

  @Test("while no batch may go, reports are told of by the full batch")
  func full() throws {
    let outbox = OutboxBox()
    outbox.add(attempt())
    let before = try #require(outbox.nextBatch())
    outbox.add(claim(1))
    #expect(outbox.worthwhile == ReportOutbox.batchLimit)
    _ = outbox.published(before, confirms(before))
    #expect(outbox.nextBatch()?.claims.count == 1)
    #expect(outbox.worthwhile == ReportOutbox.batchLimit)
  }

  @Test("large results share no batch beyond its size, and one larger than that goes alone")
  func sized() {
    let outbox = OutboxBox()
    [attempt(ReportOutbox.batchSize), attempt(10), attempt(ReportOutbox.batchSize - 3000)].forEach { outbox.add($0) }
    #expect(outbox.nextBatch()?.reports.count == 1)
    #expect(outbox.nextBatch()?.reports.count == 2)
  }

  @Test("a claim waits for every report that was made before it, and for none that was made after it")
  func claimBehindReports() throws {
    let outbox = OutboxBox()
    outbox.add(attempt())
    let before = try #require(outbox.nextBatch())
    outbox.add(attempt())
    outbox.add(claim(1))
    outbox.add(attempt())
    #expect(outbox.nextBatch() == nil, "a report that was made before the claim is under way")
    _ = outbox.published(before, confirms(before))
    let batch = try #require(outbox.nextBatch())
    #expect(batch.claims.map(\.number) == [1])
    #expect(batch.reports.count == 2)
    outbox.add(attempt())
    #expect(outbox.nextBatch() == nil, "a claim is under way")
    _ = outbox.published(batch, confirms(batch))
    #expect(outbox.nextBatch()?.reports.count == 1)
  }

  @Test("a claim that is asked again before it went out goes out once")
  func claimOnce() throws {
    let outbox = OutboxBox()
    outbox.add(claim(1))
    outbox.add(claim(1))
    let batch = try #require(outbox.nextBatch())
    #expect(batch.claims.count == 1)
    outbox.add(claim(1))
    _ = outbox.published(batch, confirms(batch))
    #expect(outbox.nextBatch() == nil)
    outbox.add(claim(1))
    #expect(outbox.nextBatch()?.claims.count == 1)
  }

  @Test("as many claims as one message carries go out at once, and the others after them")
  func claimsTogether() throws {
    let outbox = OutboxBox()
    for number in 1...(ClaimRequest.batchLimit + 2) { outbox.add(claim(number)) }
    let first = try #require(outbox.nextBatch())
    #expect(first.claims.map(\.number) == Array(1...ClaimRequest.batchLimit))
    #expect(outbox.nextBatch() == nil)
    _ = outbox.published(first, [.confirmed])
    #expect(outbox.nextBatch()?.claims.count == 2)
  }

  @Test("a drop is told once at a time, and told again until it is confirmed")
  func drops() throws {
    let outbox = OutboxBox()
    let drop = drop()
    outbox.add(attempt())
    outbox.add(.dropped(drop))
    outbox.add(.dropped(drop))
    let batch = try #require(outbox.nextBatch())
    #expect(batch.notices == [.dropped(drop)])
    outbox.add(.dropped(drop))
    #expect(outbox.nextBatch() == nil, "it is under way")
    #expect(outbox.published(batch, [.nacked, .nacked]).isEmpty)
    #expect(outbox.nextBatch() == nil, "its owner tells it again")
    outbox.add(.dropped(drop))
    let again = try #require(outbox.nextBatch())
    #expect(outbox.published(again, [.confirmed]).drops == [drop.release])
  }

  @Test("a lost connection forgets drops and adoptions, and their owner may tell them anew")
  func noticesLost() throws {
    let outbox = OutboxBox()
    let drop = drop()
    let adoption = AdoptionRequest(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID("l"), worker: WorkerID("w"))
    outbox.add(.dropped(drop))
    let underWay = try #require(outbox.nextBatch())
    outbox.add(.adopt(adoption))
    outbox.disconnected()
    #expect(outbox.nextBatch() == nil)
    outbox.lost(underWay)
    #expect(outbox.nextBatch() == nil)
    outbox.add(.adopt(adoption))
    let batch = try #require(outbox.nextBatch())
    #expect(batch.notices == [.adopt(adoption)])
    #expect(outbox.published(batch, [.confirmed]).isEmpty, "there is nothing to ack before the answer")
  }

  @Test("a refused report is published again, but not before it is told to")
  func refused() throws {
    let outbox = OutboxBox()
    outbox.add(attempt())
    outbox.add(attempt())
    let batch = try #require(outbox.nextBatch())
    #expect(outbox.published(batch, [.nacked, .returned(code: 312, text: "NO_ROUTE")]).isEmpty)
    #expect(outbox.nextBatch() == nil)
    #expect(outbox.retryRefused() == 2)
    #expect(outbox.nextBatch()?.reports == batch.reports)
    #expect(outbox.retryRefused() == 0)
  }

  @Test("whatever is lost, refused or interrupted, every report is confirmed in the end, and claims go last")
  func property() throws {
    var random = SeededRandom(for: "outbox")
    for _ in 0..<200 {
      let outbox = OutboxBox()
      var unconfirmed: Set<ReleaseID> = []
      var underWay: [ReportOutbox.Batch] = []
      var claims = 0
      for _ in 0..<200 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
          let attempt = attempt()
          unconfirmed.insert(attempt.release)
          outbox.add(attempt)
        case 4:
          claims += 1
          outbox.add(claim(claims))
          outbox.add(.dropped(drop()))
        case 5: _ = outbox.retryRefused()
        case 6:
          underWay.forEach { outbox.lost($0) }
          underWay = []
          outbox.disconnected()
        case 7:
          guard let batch = underWay.popLast() else { continue }
          let results = batch.reports.map { _ in Bool.random(using: &random) ? PublishResult.confirmed : .nacked }
          unconfirmed.subtract(outbox.published(batch, results + confirms(batch)).reports)
        default:
          guard let batch = outbox.nextBatch() else { continue }
          #expect(batch.reports.allSatisfy { unconfirmed.contains($0.release) })
          #expect(batch.claims.isEmpty || underWay.isEmpty)
          underWay.append(batch)
          #expect(underWay.count <= ReportOutbox.batchesUnderWay)
        }
      }
      underWay.forEach { unconfirmed.subtract(outbox.published($0, confirms($0)).reports) }
      _ = outbox.retryRefused()
      while let batch = outbox.nextBatch() { unconfirmed.subtract(outbox.published(batch, confirms(batch)).reports) }
      #expect(unconfirmed.isEmpty)
    }
  }
}
