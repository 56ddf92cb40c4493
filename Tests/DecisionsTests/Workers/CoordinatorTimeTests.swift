import Decisions
import JobModel
import Testing

@Suite("What time it is at the coordinator, for a worker")
struct CoordinatorTimeTests {
  private func welcome(sentMs: Int64?, atMs: Int64?) -> Welcome {
    Welcome(
      ledger: LedgerID("l"), epoch: 1, session: 1, departments: [], unknown: [], sentMs: sentMs, atMs: atMs)
  }

  @Test("is never told earlier than it is, however long the welcome was under way and however the clocks are rounded")
  func neverEarlier() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 1...2_000 {
      // In microseconds, from when the worker's clock began.
      let sent = Int64.random(in: 0...10_000_000_000, using: &random)
      let made = sent + Int64.random(in: 0...5_000_000, using: &random)
      let now = made + Int64.random(in: 0...5_000_000_000, using: &random)
      let ahead = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random) + 1_700_000_000_000_000
      let time = try #require(CoordinatorTime(welcome(sentMs: sent / 1_000, atMs: (made + ahead) / 1_000)))
      let told = time.latest(at: .microseconds(now)).milliseconds
      let isAt = (now + ahead) / 1_000
      #expect(told >= isAt && told <= isAt + (made - sent) / 1_000 + 4, "\(sent) \(made) \(now) \(ahead)")
    }
  }

  @Test(
    "is not known by a welcome that does not say it",
    arguments: [(nil, 1), (1, nil), (nil, nil)] as [(Int64?, Int64?)])
  func unknown(sentMs: Int64?, atMs: Int64?) {
    #expect(CoordinatorTime(welcome(sentMs: sentMs, atMs: atMs)) == nil)
  }

  @Test("of numbers that cannot be is the last moment, or the first", arguments: [Int64.min, -1, 0, .max])
  func borders(number: Int64) throws {
    for other in [Int64.min, -1, 0, .max] {
      let time = try #require(CoordinatorTime(welcome(sentMs: number, atMs: other)))
      _ = time.latest(at: .seconds(1))
    }
  }
}
