import JobModel
import MetricsTestKit
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Messages that the broker took off their queues, by cause")
struct DeadLetterCountsTests {
  /// A cause is read from headers, and a sender may put into these what it likes.
  private func madeUp(_ numbers: Range<Int>) -> [DeadLetterCause] {
    numbers.map { DeadLetterCause(queue: "teller.submissions.2", reason: "made up \($0)") }
  }

  private let known = DeadLetterCause(queue: "teller.reports.2", reason: "expired")

  @Test("are counted separately up to a limit; beyond that a new cause is not, and one that is known goes on")
  func limit() {
    let (counts, limit) = (DeadLetterCounts(), DeadLetterCounts.limit)
    #expect(counts.list == nil)
    #expect(counts.add([known, known]) == [known, known])
    #expect(counts.add(madeUp(0..<limit + 100)) == madeUp(0..<limit - 1))
    #expect(counts.add(madeUp(limit - 1..<limit + 100)) == [], "none of them is known, also when it comes again")
    #expect(counts.add(madeUp(5_000..<5_001) + [known] + madeUp(0..<1)) == [known] + madeUp(0..<1))
    #expect(counts.counts.count == limit && counts.counts[known] == 3)
    #expect(counts.list?.count == limit)
    #expect(counts.list?.map(\.count).reduce(0, +) == limit + 3)
  }

  @Test("stand beside queues that were gone, which are in the status and a series from the start, and do not come back")
  func missing() async throws {
    let metrics = TestMetrics()
    let books = try await Books(metrics: metrics)
    let label = MetricName.deadLetters.rawValue
    let before = metrics.counters(label: label).count
    #expect(await books.bookkeeper.coordinatorStatus.deadLetters == nil)
    await books.bookkeeper.noteMissing(queues: ["teller.reports.2", "teller.submissions.2"])
    let reason = DeadLetterCause.missing
    let causes = ["teller.reports.2", "teller.submissions.2"].map { DeadLetterCause(queue: $0, reason: reason) }
    #expect(
      await books.bookkeeper.coordinatorStatus.deadLetters == causes.map { DeadLetterCount($0, count: 1) })
    #expect(metrics.counters(label: label).count == before && metrics.counterTotal(label: label) == 2)
    let counts = DeadLetterCounts()
    #expect(counts.add(causes + [known]) == causes + [known] && counts.text == "1 of teller.reports.2: expired")
  }

  @Test("have no series of their own in the metrics where they are not counted separately")
  func series() async throws {
    let metrics = TestMetrics()
    let books = try await Books(metrics: metrics)
    let label = MetricName.deadLetters.rawValue
    let before = metrics.counters(label: label).count
    await books.bookkeeper.noteDeadLetters([known])
    #expect(metrics.counters(label: label).count == before, "there from the start")
    for part in 0..<4 { await books.bookkeeper.noteDeadLetters(madeUp(part * 100..<part * 100 + 100)) }
    #expect(metrics.counters(label: label).count == before + DeadLetterCounts.limit - 1)
    #expect(metrics.counterTotal(label: label) == Int64(DeadLetterCounts.limit))
    await books.bookkeeper.noteDeadLetters([known])
    #expect(metrics.counterTotal(label: label) == Int64(DeadLetterCounts.limit + 1))
  }
}
