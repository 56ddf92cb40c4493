import AMQP
import JobModel
import TestSupport
import Testing

@testable import JobTransport

/// Packs of reports that no worker of this version has sent.
@Suite("Malformed packs of reports")
struct MalformedReportsTests {
  private static let job = "01890a5d-ac96-774b-bcce-b302099a8057"
  /// A good report, for what stands before and behind a bad one.
  private static let good = "\(job) 3 4 1500 1200 succeeded 3 2\na/bok"

  private func delivery(_ body: [UInt8], ledger: String? = "l", worker: String? = "w") -> Delivery {
    Deliveries.make(MessageProperties(correlationID: ledger, type: "reports", appID: worker), .bytes(body))
  }

  private func read(_ text: String) -> [ReportMessage] { ReportCodec.decode(delivery(Array(text.utf8))) }

  private func reason(_ message: ReportMessage?) -> String? {
    guard case .unreadable(let reason)? = message else { return nil }
    return reason
  }

  /// What is left of the second report where the first one is good.
  private func second(_ reason: String, in whole: [ReportMessage]) -> Bool {
    guard case .report(let report)? = whole.dropFirst().first, report.isFlawed,
      case .failed(let failure, isPermanent: false) = report.result
    else { return false }
    return report.job.description == Self.job && (report.release.number, report.token) == (3, 4)
      && failure.code == JobFailure.Code.badReport && failure.message.contains(reason)
  }

  private func goodReport() throws -> ReportMessage {
    .report(
      Report(
        release: ReleaseID(job: try #require(JobID(Self.job)), number: 3), token: 4, ledger: LedgerID("l"),
        worker: WorkerID("w"), startedAgo: .microseconds(1500), ran: .microseconds(1200),
        result: .succeeded(result: Array("ok".utf8), contentType: "a/b")))
  }

  @Test("of one that is cut anywhere the reports before the cut are read, and the rest is one that is unreadable")
  func cut() {
    var random = SeededRandom(for: "cut packs")
    for _ in 0..<200 {
      let reports = random.reports(1...5)
      // Where each report ends.
      let ends = reports.indices.map { index in ReportPacks.write(reports[...index]).reduce(0) { $0 + $1.body.count } }
      let body = ReportPacks.write(reports).flatMap(\.body)
      let length = Int.random(in: 1...body.count, using: &random)
      let whole = ends.count { $0 <= length }
      let read = ReportCodec.decode(
        delivery(Array(body.prefix(length)), ledger: reports[0].ledger.text, worker: reports[0].worker.text))
      #expect(Array(read.prefix(whole)) == reports.prefix(whole).map { .report($0) })
      let rest = read.dropFirst(whole)
      #expect((0...2).contains(rest.count) && rest.isEmpty == ends.contains(length))
      for message in rest {
        if case .report(let report) = message {
          #expect(report.isFlawed && report.release == reports[whole].release && report.token == reports[whole].token)
        } else {
          #expect(reason(message)?.hasPrefix("report \(whole + 1) of the message: ") == true)
        }
      }
    }
  }

  @Test("of one in which anything is changed something is read or told, and nothing stops")
  func changed() {
    var random = SeededRandom(for: "changed packs")
    for _ in 0..<2_000 {
      let reports = random.reports(1...4)
      var body = ReportPacks.write(reports).flatMap(\.body)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: body.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: body[place] = UInt8.random(in: 0...255, using: &random)
        case 1: body.insert(Array("\n 9-".utf8)[Int.random(in: 0..<4, using: &random)], at: place)
        default: if body.count > 1 { body.remove(at: place) }
        }
      }
      let read = ReportCodec.decode(delivery(body))
      #expect(!read.isEmpty)
      // Behind a line that cannot be read nothing is, so the last one says it.
      let isCutShort = read.firstIndex { reason($0)?.hasPrefix("report ") == true }
      #expect(isCutShort == nil || isCutShort == read.count - 1)
    }
  }

  @Test(
    "a line that is none, and that names no attempt, ends what can be read, and the reports before it are read",
    arguments: [
      ("\n", "its line has 1 words, not 8"), ("x\n", "its line has 1 words, not 8"),
      ("\(job)  3 4 1500 1200 succeeded 0 0\n", "its line has 9 words, not 8"),
      ("\(job)\t3 4 1500 1200 succeeded 0 0\n", "its line has 7 words, not 8"),
      (String(repeating: " ", count: 600) + "\n", "its line does not end"),
      ("7 3 4 1500 1200 succeeded 0 0\n", "its job is not a UUID"),
      (" 3 4 1500 1200 succeeded 0 0\n", "its job is not a UUID"),
      ("\(job.dropLast())é 3 4 1500 1200 succeeded 0 0\n", "its job is not a UUID"),
      ("\(job) -3 4 1500 1200 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) +3 4 1500 1200 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 x 1500 1200 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 999999999999999999 1500 1200 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 34359738369 4 1500 1200 succeeded 0 0\n", "its line has a number that is none"),
    ])
  func lines(line: String, problem: String) throws {
    let first = read(Self.good + line)
    #expect(first == [try goodReport(), .unreadable("report 2 of the message: \(problem)")])
    // What stands behind it cannot be found, but where its length would have been enough.
    guard line.hasSuffix("\n") else { return }
    let whole = read(Self.good + line + Self.good)
    #expect(whole == first)
  }

  @Test(
    "a line that is none, and that names its attempt, is the failure of that attempt",
    arguments: [
      ("\(job) 3 4 1500 1200 succeeded 0\n", "its line has 7 words, not 8"),
      ("\(job) 3 4 1500 1200 succeeded 0 0 0\n", "its line has 9 words, not 8"),
      ("\(job) 3 4 1500 1200 succeeded 0 0", "its line does not end"), ("\(job) 3 4\n", "its line has 3 words, not 8"),
      ("\(job) 3 4 " + String(repeating: "x", count: 600) + "\n", "its line does not end"),
      ("\(job) 3 4 1.5 1200 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1e3 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 ٣ succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 9223372036854775808 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1000000000000000000 succeeded 0 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1200 succeeded -1 0\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1200 succeeded 0 -1\n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1200 succeeded 0 \n", "its line has a number that is none"),
      ("\(job) 3 4 1500 1200 succeeded 999999999999999999 0\n", "it is longer than its message"),
      ("\(job) 3 4 1500 1200 succeeded 0 999999999999999999\n", "it is longer than its message"),
      ("\(job) 3 4 1500 1200 succeeded 999999999999999999 999999999999999999\n", "it is longer than its message"),
    ])
  func attributed(line: String, problem: String) throws {
    let first = read(Self.good + line)
    #expect(first.first == (try goodReport()) && second(problem, in: first), "\(first)")
    guard line.hasSuffix("\n"), line.utf8.count < 600 else { return }
    // Of what follows nothing is known, which is said.
    let whole = read(Self.good + line + Self.good)
    #expect(second(problem, in: whole) && reason(whole.last) == "report 2 of the message: \(problem)", "\(whole)")
  }

  @Test("of a body over the limit the first report is the failure of its attempt, and the rest is unreadable")
  func tooLarge() throws {
    var large = delivery([])
    large.body = .overLimit(declaredSize: 5_000_000)
    large.beginning = Array((Self.good + "\(Self.job) 3 4 1500 1200 succeeded 0 4999000\n").utf8)
    let messages = ReportCodec.decode(large)
    #expect(messages.first == (try goodReport()) && second("it is longer than its message", in: messages))
    #expect(reason(messages.last) == "the body of 5000000 bytes is over the limit" && messages.count == 3)
  }

  @Test(
    "a report whose line is good but whose result is none is the failure of its attempt, and the next one is read",
    arguments: [
      ("succeded 0 2\nok", "its result \"succeded\" is not known here"),
      (" 0 2\nok", "its result \"\" is not known here"), ("SUCCEEDED 0 2\nok", "its result \"SUCCEEDED\" is not known"),
      ("failed 0 0\n", ""), ("failed 0 2\nno", ""), ("failed 0 2\n{}", ""), ("failed 0 13\n{\"error\":\"c\"}", ""),
      ("failed-for-good 0 2\n[]", ""), ("failed-for-good 0 1\n\u{0}", ""),
    ])
  func results(rest: String, problem: String) throws {
    let messages = read("\(Self.good)\(Self.job) 3 4 1500 1200 \(rest)\(Self.good)")
    let good = try goodReport()
    #expect(messages.count == 3 && messages.first == good && messages.last == good)
    #expect(second(problem, in: messages), "\(messages)")
  }

  @Test("a result over the limit, and a content type that is no text, are failures of their attempts")
  func limits() throws {
    let line = "\(Self.job) 3 4 1500 1200 succeeded"
    let large = Report.resultLimit + 1
    let good = Array(Self.good.utf8)
    let tooLarge = Array("\(line) 0 \(large)\n".utf8) + [UInt8](repeating: 0, count: large)
    let read = ReportCodec.decode(delivery(good + tooLarge + good))
    let said = "the result of \(large) bytes is over the limit of \(Report.resultLimit)"
    #expect(read.count == 3 && read.first == read.last && second(said, in: read))
    guard case .report(let report) = read[1] else { return }
    #expect((report.startedAgo, report.ran) == (.microseconds(1500), .microseconds(1200)))
    let notText = Array("\(line) 2 1\n".utf8) + [0xC3, 0x28, 7]
    let other = ReportCodec.decode(delivery(good + notText + good))
    #expect(other.count == 3 && second("its content type is not UTF-8", in: other))
    // A reply with it could not be sent.
    for (count, isGood) in [(255, true), (256, false)] {
      let long = self.read("\(Self.good)\(line) \(count) 0\n" + String(repeating: "t", count: count))
      #expect(second("its content type has 256 bytes, more than 255", in: long) != isGood, "\(count)")
    }
  }

  @Test("times that no attempt can have taken count as the longest: sums of them must not overflow")
  func longTimes() {
    let read = self.read("\(Self.job) 3 4 999999999999999999 999999999999999999 succeeded 0 0\n")
    guard case .report(let report)? = read.first else {
      Issue.record("\(read)")
      return
    }
    #expect((report.startedAgo, report.ran) == (Report.longestTime, Report.longestTime) && !report.isFlawed)
  }

  @Test("one without a report, or over the limit of a body, is unreadable as a whole")
  func empty() {
    #expect(read("") == [.unreadable("it has no report")])
    var large = delivery([])
    large.body = .overLimit(declaredSize: 9_999_999)
    #expect(ReportCodec.decode(large) == [.unreadable("the body of 9999999 bytes is over the limit")])
  }

  @Test("one that does not say its worker and ledger is unreadable as a whole, and says what is missing")
  func origins() {
    for bad in [nil, "", "a b", "a.b", "ü", "a\n", String(repeating: "w", count: 101)] {
      let body = Array((Self.good + Self.good).utf8)
      #expect(
        ReportCodec.decode(delivery(body, ledger: bad)) == [.unreadable("correlation_id is not a ledger's id")])
      #expect(ReportCodec.decode(delivery(body, worker: bad)) == [.unreadable("app_id is not a worker's id")])
    }
  }

  @Test("a failure in it is cut to its limits")
  func failures() {
    let endless = "e" + String(repeating: "\u{301}", count: 50_000)
    let failure = #"{"error":"\#(endless)","message":"\#(endless)"}"#
    let messages = read("\(Self.job) 3 4 1500 1200 failed 0 \(failure.utf8.count)\n\(failure)")
    guard case .report(let report)? = messages.first, case .failed(let read, isPermanent: false) = report.result else {
      Issue.record("\(messages)")
      return
    }
    #expect(read.message.utf8.count < 5_000 && read.code.utf8.count < 200)
  }
}
