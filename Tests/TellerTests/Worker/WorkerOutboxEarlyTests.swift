import AMQP
import JobModel
import Testing
import TestSupport

@testable import Teller

@Suite("The outbox of reports, which sends some of them early")
struct WorkerOutboxEarlyTests: OutboxSamples {
  @Test(
    "sends few small reports early while nothing is under way, none beside a claim or a notice, and others behind them")
  func early() throws {
    let box = OutboxBox()
    func next() throws -> ReportOutbox.Batch { try #require(box.nextBatch(mayBeEarly: true)) }
    box.add(attempt())
    let first = try next()
    #expect(first.isEarly)
    box.add(attempt())
    #expect(box.nextBatch(mayBeEarly: true) == nil && box.worthwhile == ReportOutbox.batchLimit)
    box.endedEarly()
    _ = box.published(first, [.confirmed])
    let second = try next()
    #expect(second.isEarly)
    box.endedEarly()
    box.add(attempt())
    let behind = try next()
    #expect(!behind.isEarly, "the early batch is on its way to the durable queue")
    _ = box.published(behind, [.confirmed])
    box.lost(second)
    let third = try #require(box.nextBatch())
    #expect(!third.isEarly)
    box.add(attempt())
    #expect(try next().isEarly == false, "something is under way")
  }

  @Test(
    "sends no report early beside a claim or a notice, nor a large one, nor many",
    arguments: [
      { box, tests in box.add(tests.claim(1)) }, { box, tests in box.add(.dropped(tests.drop())) },
      { box, tests in box.add(tests.attempt(5_000)) },
      { box, tests in for _ in 1...ReportOutbox.earlyLimit { box.add(tests.attempt()) } },
    ] as [@Sendable (OutboxBox, WorkerOutboxEarlyTests) -> Void])
  func notEarly(_ beside: @Sendable (OutboxBox, WorkerOutboxEarlyTests) -> Void) throws {
    let box = OutboxBox()
    box.add(attempt())
    beside(box, self)
    #expect(try #require(box.nextBatch(mayBeEarly: true)).isEarly == false)
  }
}
