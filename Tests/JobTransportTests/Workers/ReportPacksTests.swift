import AMQP
import JobModel
import TestSupport
import Testing

@testable import JobTransport

/// Reports share messages, as many as fit: none is missing, none is in another's place.
@Suite("Packs of reports")
struct ReportPacksTests {
  private typealias Message = (message: Publishing, count: Int)

  private func report(of worker: String = "w", under ledger: String = "l", _ result: AttemptResult) -> Report {
    Report(
      release: ReleaseID(job: JobID(), number: 1), token: 2, ledger: LedgerID(ledger), worker: WorkerID(worker),
      startedAgo: .microseconds(3), ran: .microseconds(4), result: result)
  }

  private func report(_ size: Int) -> Report {
    report(.succeeded(result: [UInt8](repeating: 7, count: size), contentType: nil))
  }

  /// What is read of each message, whose count must be right.
  private func read(_ messages: [Message]) -> [[ReportMessage]] {
    messages.map { message, count in
      let read = ReportCodec.decode(Deliveries.of(message))
      #expect(read.count == count)
      return read
    }
  }

  @Test("come through their messages unchanged and in their order, however large and many")
  func roundTrip() {
    var random = SeededRandom(for: "packs of reports")
    for _ in 0..<30 {
      var reports = random.reports(0...200)
      for index in reports.indices where Int.random(in: 0..<20, using: &random) == 0 {
        let size = random.chance() ? Report.resultLimit : Int.random(in: 0...Report.resultLimit, using: &random)
        let type = random.maybe { "é🏦 a\n\u{0}" + $0.text() }
        reports[index].result = .succeeded(result: [UInt8](repeating: 10, count: size), contentType: type)
        reports[index].hint = nil
      }
      let messages = ReportCodec.encode(reports)
      #expect(read(messages).flatMap(\.self) == reports.map { .report($0) })
      #expect(messages.allSatisfy { $0.count <= ReportPacks.countLimit })
    }
  }

  @Test(
    "keep any result and any content type, but none for an empty one",
    arguments: [
      ([], nil, nil), ([], "", nil), ([10], "a/b", "a/b"), ([10, 10], "\n", "\n"), ([0, 255], "é 🏦", "é 🏦"),
      (Array("w 1 2 3 4 succeeded 0 0\n".utf8), " ", " "),
      ([1], String(repeating: "t", count: 255), String(repeating: "t", count: 255)),
    ] as [([UInt8], String?, String?)])
  func results(bytes: [UInt8], contentType: String?, expected: String?) {
    let (first, last) = (report(.succeeded(result: bytes, contentType: contentType)), report(0))
    var told = first
    told.result = .succeeded(result: bytes, contentType: expected)
    #expect(read(ReportCodec.encode([first, last])) == [[.report(told), .report(last)]])
  }

  @Test("have at most 64 in a message")
  func countLimit() {
    #expect(ReportPacks.countLimit == 64)
    for (count, expected) in [(0, []), (1, [1]), (64, [64]), (65, [64, 1]), (130, [64, 64, 2])] {
      let messages = ReportCodec.encode((0..<count).map { _ in report(0) })
      #expect(messages.map(\.count) == expected)
      #expect(read(messages).map(\.count) == expected)
    }
  }

  @Test("have none behind 64 KiB, and a message never has more than one may")
  func byteLimit() {
    let largest = report(Report.resultLimit)
    #expect(ReportCodec.encode([largest, largest, report(0)]).map(\.count) == [1, 1, 1])
    #expect(ReportCodec.encode([report(ReportPacks.byteLimit - 200), largest, report(0)]).map(\.count) == [2, 1])
    let messages = ReportCodec.encode((0..<64).map { _ in report(5_000) })
    #expect(messages.map(\.count).reduce(0, +) == 64 && messages.count > 1)
    let allowed = ConnectionOptions(name: "test").bodyLimit
    for message in messages { #expect(message.message.body.count <= allowed) }
    let fullest = ReportCodec.encode([report(ReportPacks.byteLimit - 200), largest]).map(\.message.body.count)
    #expect(fullest.allSatisfy { $0 <= allowed })
  }

  @Test("say their ledger and worker once, and those of others are in messages of their own")
  func origins() {
    let origins = [("w", "l"), ("w", "l"), ("w", "other"), ("w", "l"), ("v", "l"), ("v", "l")]
    let reports = origins.map { report(of: $0, under: $1, .succeeded(result: [1], contentType: nil)) }
    let messages = ReportCodec.encode(reports)
    #expect(messages.map(\.count) == [2, 1, 1, 2])
    #expect(messages.map(\.message.properties.appID) == ["w", "w", "w", "v"])
    #expect(messages.map(\.message.properties.correlationID) == ["l", "other", "l", "l"])
    #expect(read(messages).flatMap(\.self) == reports.map { .report($0) })
  }

  @Test("a time before its attempt is told as none")
  func negativeTimes() {
    var early = report(0)
    (early.startedAgo, early.ran) = (.seconds(-1), .microseconds(-1))
    var told = early
    (told.startedAgo, told.ran) = (.zero, .zero)
    #expect(read(ReportCodec.encode([early])) == [[.report(told)]])
  }
}
