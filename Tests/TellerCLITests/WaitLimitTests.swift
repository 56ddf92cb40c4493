import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("How long a person's command waits")
struct WaitLimitTests {
  @Test("the connection takes no longer than the whole wait")
  func connection() {
    #expect(OutcomeWait.timeouts(timeout: .seconds(1)).connect == .seconds(1))
    #expect(OutcomeWait.timeouts(timeout: .seconds(600)).connect == OutcomeWait.timeouts().connect)
  }

  @Test("a portion is never larger than its limit, and all are in one")
  func portions() {
    #expect(Array(1...5).pieces(of: 2).map(Array.init) == [[1, 2], [3, 4], [5]])
    #expect([Int]().pieces(of: 2).isEmpty)
  }

  @Test("a short limit also shortens what one question may take")
  func timeouts() {
    let timeouts = ClientTimeouts.forPeople(coordinator: .seconds(1))
    #expect(timeouts.coordinator == .seconds(1))
    #expect(timeouts.silence + timeouts.request == .seconds(1), "the silence before the first question counts")
    #expect(timeouts.countedSilence == timeouts.silence)
    #expect(timeouts.tick < timeouts.silence)
    #expect(ClientTimeouts.forPeople(coordinator: .zero).tick > .zero)
    let usual = ClientTimeouts.forPeople(coordinator: .seconds(60))
    #expect(usual.request == ClientTimeouts.forPeople.request && usual.silence == ClientTimeouts.forPeople.silence)
  }
}
