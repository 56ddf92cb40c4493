import JobModel
import JobTransport
import TestSupport
import Testing

@testable import AMQP
@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator

@Suite("What is recorded in one transaction")
struct PortionTests {
  /// A delivery with so many reports, each with a job of its own, and behind them perhaps what cannot be read.
  private func delivery(_ tag: UInt64, _ count: Int, rest: String = "") -> Delivery {
    let reports = (0..<count).map { index in
      Report(
        release: ReleaseID(job: JobID(), number: index), token: 1, ledger: LedgerID("l"), worker: WorkerID("w"),
        startedAgo: .zero, ran: .zero, result: .succeeded(result: [], contentType: nil))
    }
    let messages = ReportCodec.encode(reports)
    let body = messages.flatMap(\.message.body) + Array(rest.utf8)
    return Delivery(
      consumerTag: "test", deliveryTag: tag, isRedelivered: false, exchange: "", routingKey: "teller.reports",
      properties: MessageProperties(correlationID: "l", type: "reports", appID: "w"), body: .bytes(body))
  }

  private func portions(of deliveries: [Delivery]) -> [Portion] {
    var rest = deliveries[...]
    var portions: [Portion] = []
    while let portion = Portion(takingFrom: &rest) { portions.append(portion) }
    #expect(rest.isEmpty)
    return portions
  }

  @Test("is nothing when nothing is left")
  func empty() { #expect(portions(of: []).isEmpty) }

  @Test("has no further message once it has 256 reports, and each delivery whole and in its order")
  func limit() {
    #expect(Portion.reportLimit == 256)
    for (counts, expected) in [
      ([255, 1, 1], [[1, 2], [3]]), ([256, 1], [[1], [2]]), ([255, 64, 1], [[1, 2], [3]]), ([1_000, 1], [[1], [2]]),
      (Array(repeating: 64, count: 6), [[1, 2, 3, 4], [5, 6]]), ([3], [[1]]),
    ] as [([Int], [[UInt64]])] {
      let deliveries = counts.enumerated().map { delivery(UInt64($0 + 1), $1) }
      let portions = portions(of: deliveries)
      #expect(portions.map { $0.deliveries.map(\.deliveryTag) } == expected, "\(counts)")
      #expect(portions.flatMap(\.messages) == deliveries.flatMap(ReportCodec.decode), "\(counts)")
    }
  }

  @Test("a delivery that has nothing but what is unreadable counts as well")
  func unreadable() {
    let portions = portions(of: (1...257).map { delivery($0, 0, rest: "x\n") })
    #expect(portions.map(\.deliveries.count) == [256, 1])
    #expect(portions.map(\.messages.count) == [256, 1])
  }

  @Test("parks a delivery once, for the first reason, and those between which nothing was refused not at all")
  func parked() throws {
    let deliveries = [delivery(1, 3), delivery(2, 2, rest: "x\n"), delivery(3, 4), delivery(4, 0, rest: "y")]
    let portion = try #require(portions(of: deliveries).first)
    #expect(portion.messages.count == 3 + 3 + 4 + 1)
    let refusals = [3, 4, 5, 7, 9, 10].map { index in
      Refusal(index: index, failure: JobFailure(code: "c", message: "\(index)"))
    }
    let parked = portion.parked(refusals)
    #expect(parked.map(\.body) == deliveries[1...].map(bytes))
    #expect(parked.map { $0.properties.headers["teller-message"] } == ["3", "7", "10"])
    #expect(portion.parked([]).isEmpty)
  }

  private func bytes(_ delivery: Delivery) -> [UInt8] {
    guard case .bytes(let bytes) = delivery.body else { return [] }
    return bytes
  }

  @Test("is recorded but for what is refused: that is parked once, and the reports around it count")
  func recorded() async throws {
    let books = try await Books()
    let assignments = try await books.fillWork(3)
    let worker = WorkerID()
    let reports = assignments.compactMap { assignment -> Report? in
      guard case .report(let report) = books.report(assignment, .done, by: worker) else { return nil }
      return report
    }
    let message = try #require(ReportCodec.encode(reports).first?.message)
    var delivery = delivery(1, 0)
    delivery.properties = message.properties
    delivery.body = .bytes(message.body + Array("\(JobID()) 1 1 1 1 won 0 0\n\(JobID()) 1\n".utf8))
    let portion = try #require(portions(of: [delivery]).first)
    let refusals = try await books.bookkeeper.record(portion.messages)
    // The fourth names its attempt, of a job that there is not: it is answered, and nothing is kept of it.
    #expect(refusals.map(\.index) == [4])
    let parked = portion.parked(refusals)
    #expect(parked.map { $0.properties.headers["teller-error"] } == ["unreadable"])
    for assignment in assignments { #expect(try await books.state(assignment.job) == .succeeded) }
  }
}
