import Foundation
import Testing

@testable import BankExample

@Suite("The report")
struct ReportTests {
  @Test("the ideal is the slowest department's rounds, each as long as one service")
  func ideal() {
    let ideal = Ideal.makespan(of: [
      .init(business: .deposit, tellers: 2, customers: 17, serviceTime: .milliseconds(700)),
      .init(business: .loan, tellers: 1, customers: 13, serviceTime: .milliseconds(1100)),
    ])
    #expect(ideal == .milliseconds(14_300))
  }

  @Test("a department without customers needs no tellers, one with customers does")
  func withoutTellers() {
    var counter = DayReport.Measured(business: .loan, tellers: 0, customers: 0, serviceTime: .seconds(1))
    #expect(Ideal.makespan(of: [counter]) == .zero)
    counter.customers = 1
    #expect(Ideal.makespan(of: [counter]) == nil)
  }

  @Test("percentiles are times that occurred, by nearest rank")
  func percentiles() throws {
    let hundred = try #require(Percentiles((1...100).reversed().map { Duration.milliseconds($0) }))
    #expect([hundred.p50, hundred.p95, hundred.max] == [0.05, 0.095, 0.1])
    let one = try #require(Percentiles([.seconds(3)]))
    #expect([one.p50, one.p95, one.max] == [3, 3, 3])
    #expect(Percentiles([]) == nil)
  }

  private var report: DayReport {
    DayReport(
      served: 3, failed: 0, makespan: .milliseconds(1500),
      counters: [
        .init(
          business: .deposit, tellers: 2, customers: 2, serviceTime: .milliseconds(700),
          waits: [.zero, .milliseconds(10)], runs: [.milliseconds(700), .milliseconds(800)]),
        .init(
          business: .loan, tellers: 1, customers: 1, serviceTime: .milliseconds(1100), waits: [], runs: []),
      ], opening: OpeningRecord(steps: 9, byRank: true, ranAgain: 2, passedOver: ["banner"], pushes: 2))
  }

  @Test("ratio, busy share and waiting times follow from what was measured")
  func measured() {
    #expect(report.ideal == 1.1)
    #expect(report.ratio.map { abs($0 - 1.5 / 1.1) < 0.000_001 } == true)
    #expect(report.departments[0].busyShare == 0.5)
    #expect(report.departments[0].waited.map { [$0.p50, $0.p95, $0.max] } == [0, 0.01, 0.01])
    #expect(report.departments[1].waited == nil)
  }

  @Test("the text names makespan, ideal, ratio and each department")
  func text() {
    let lines = ReportText.lines(report)
    #expect(lines.contains("The day has ended: 3 customers served."))
    #expect(lines.contains("makespan 1.50 s, ideal 1.10 s, ratio 1.364"))
    #expect(lines.contains("deposit             2          2     50 %      0.00 s    0.01 s    0.01 s"))
    #expect(lines.contains("loan                1          1      0 %           –         –         –"))
    #expect(
      lines.last == "init: all 9 steps ran by rank, one rank at a time; 2 ran again after going back; passed over: "
        + "banner; 2 pushes acted on")
  }

  @Test("the help and the report say that the day ends and the plan stays open; the help says who stops it, and how")
  func whatStaysOpen() {
    let help = DayCommand.afterDay
    #expect(help.hasPrefix("The day ends with the last customer. The plan stays open"))
    #expect(help.contains("\n  \(Opening.stop)\n"))
    #expect(help.hasSuffix("\n  docker compose run --rm operator plan stop opening --gates keep"))
    #expect(News.isOpenAlready.line.contains("an operator closes it with `teller plan stop opening --gates keep`"))
    #expect(ReportText.lines(report).first == "The day has ended: 3 customers served.")
  }

  @Test("a day with a failed customer or a wrong order is not flawless, and the text says so")
  func flaws() {
    var report = report
    #expect(report.isFlawless)
    report.opening.byRank = false
    #expect(!report.isFlawless)
    #expect(ReportText.lines(report).last?.contains("NOT") == true)
    report.opening.byRank = true
    report.failed = 1
    #expect(!report.isFlawless)
    #expect(ReportText.lines(report).first?.contains("1 failed") == true)
  }

  @Test("steps that follow each other by rank hold; overlapping, swapped or missing ones do not")
  func ranks() {
    let step = { (rank: Int, from: Double?, to: Double?) in
      RankCheck.Step(
        name: "step \(rank)", rank: rank, started: from.map { Date(timeIntervalSince1970: $0) },
        finished: to.map { Date(timeIntervalSince1970: $0) })
    }
    #expect(RankCheck.holds([step(2, 1, 2), step(1, 0, 1), step(3, 5, 6)]))
    #expect(!RankCheck.holds([step(1, 0, 1), step(2, 0.5, 2)]))
    #expect(!RankCheck.holds([step(2, 0, 1), step(1, 2, 3)]))
    #expect(!RankCheck.holds([step(1, 0, 1), step(2, nil, nil)]))
    var again = step(1, 3, 4)
    again.round = 2
    #expect(!RankCheck.holds([step(1, 0, 1), step(2, 1, 2), again]), "the second step was not repeated")
    var later = step(2, 4, 5)
    later.round = 2
    #expect(RankCheck.holds([step(1, 0, 1), step(2, 1, 2), again, later]))
  }
}
