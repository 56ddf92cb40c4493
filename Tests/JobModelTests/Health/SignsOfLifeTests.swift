import Testing

@testable import JobModel

@Suite("Signs of life")
struct SignsOfLifeTests {
  private var signs = SignsOfLife()

  @Test("what was never renewed is not ok")
  func never() {
    let check = signs.check("ledger", "ledger", did: "written", at: .seconds(3))
    #expect(check == HealthReport.Check("ledger", isOK: false, detail: "never written yet"))
  }

  @Test("what was renewed is ok up to the limit and not beyond it")
  mutating func renewed() {
    signs.renew("ledger", at: .seconds(5))
    let last = signs.check("ledger", "ledger", did: "written", at: .seconds(15))
    #expect(last.isOK)
    #expect(last.age == SignsOfLife.limit)
    #expect(last.detail == "written 10 s ago")
    let late = signs.check("ledger", "ledger", did: "written", at: .milliseconds(15_100))
    #expect(!late.isOK)
    #expect(late.detail == "written 10.1 s ago; more than 10 s is too long")
    signs.renew("ledger", at: .seconds(16))
    #expect(signs.check("ledger", "ledger", did: "written", at: .seconds(17)).isOK)
  }

  @Test("one part's renewal is not another's")
  mutating func others() {
    signs.renew("ledger", at: .seconds(5))
    #expect(!signs.check("hearing", "hearing", did: "heard", at: .seconds(5)).isOK)
  }

  @Test("a turn that takes longer than the limit makes the loop not ok, until it ends")
  mutating func stuck() {
    signs.renew("timekeeper", at: .seconds(20))
    signs.begin("intake", at: .seconds(9))
    // Seen again within the same turn: it began when it began.
    signs.begin("intake", at: .seconds(19))
    signs.begin("telling", at: .seconds(19))
    let check = signs.checkLoop("loop", "timekeeper", at: .seconds(20))
    #expect(!check.isOK)
    #expect(check.detail == "stuck: intake for 11 s")
    signs.end("intake")
    #expect(signs.checkLoop("loop", "timekeeper", at: .seconds(20)).isOK)
  }

  @Test("a part with several turns at once is stuck for as long as one of them is, whichever of the others ends")
  mutating func several() {
    signs.begin("requests", turn: 1, at: .seconds(1))
    signs.begin("requests", turn: 2, at: .seconds(9))
    signs.end("requests", turn: 2)
    #expect(signs.stuck(at: .seconds(12)).map(\.part) == ["requests"])
    signs.end("requests", turn: 1)
    #expect(signs.stuck(at: .seconds(12)).isEmpty)
  }

  @Test("a part that waits for work for ever is not stuck")
  mutating func idle() {
    signs.begin("intake", at: .seconds(1))
    signs.end("intake")
    #expect(signs.stuck(at: .seconds(100_000)).isEmpty)
  }

  @Test("whoever checks nothing is not ready")
  func nothing() {
    #expect(!HealthReport([]).isReady)
    #expect(HealthReport([.init("a", isOK: true, detail: "")]).isReady)
    #expect(!HealthReport([.init("a", isOK: true, detail: ""), .init("b", isOK: false, detail: "")]).isReady)
  }
}
