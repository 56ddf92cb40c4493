import JobModel
import Ledger
import Testing

@Suite("the ledger's clock")
struct ClockTests {
  private let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("a new ledger has none; what is written last is there when it is opened again")
  func kept() async throws {
    let first = LedgerClock.Record(
      time: .test(5), lead: .seconds(-120), uptime: Uptime(boot: "one", age: .seconds(9)), trialEnd: .test(70))
    let last = LedgerClock.Record(time: .test(8), lead: .zero)
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.clock() == nil)
        try transaction.saveClock(first)
        #expect(try transaction.clock() == first)
        try transaction.saveClock(last)
      }
    }
    try await temporary.with { ledger async throws in
      #expect(try ledger.write { try $0.clock() } == last)
    }
  }
}
