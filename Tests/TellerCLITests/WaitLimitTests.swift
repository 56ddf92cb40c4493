import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("How long a person's command waits")
struct WaitLimitTests {
  @Test("the connection takes no longer than the whole wait")
  func connection() {
    #expect(OutcomeWait.timeouts(within: .seconds(1)).connect == .seconds(1))
    #expect(OutcomeWait.timeouts(within: .seconds(600)).connect == OutcomeWait.timeouts().connect)
  }

  @Test("a portion is never larger than its limit, and all are in one")
  func portions() {
    #expect(Array(1...5).pieces(of: 2).map(Array.init) == [[1, 2], [3, 4], [5]])
    #expect([Int]().pieces(of: 2).isEmpty)
  }
}
