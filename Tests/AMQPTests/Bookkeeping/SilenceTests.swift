import Testing

@testable import AMQP

@Suite("The silence of a broker")
struct SilenceTests {
  private let start = SuspendingClock.now
  /// Heartbeats every 10 s, and 2.5 s of margin.
  private func silence(heartbeat: Duration = .seconds(10)) -> Silence {
    Silence(heartbeat: heartbeat, margin: .milliseconds(2_500), since: start)
  }

  private func at(_ seconds: Double) -> Silence.Instant { start + .seconds(seconds) }

  @Test("is long from a margin before the library would find the broker dead, whatever was heard before")
  func long() {
    var silence = silence()
    #expect(!silence.isLong(at: at(17.4)))
    #expect(silence.isLong(at: at(17.5)))
    #expect(silence.isLong(at: at(20)))
    silence.input(at: at(18))
    #expect(!silence.isLong(at: at(18)) && !silence.isLong(at: at(35.4)))
    #expect(silence.isLong(at: at(35.5)))
    silence.input(at: at(3))
    #expect(!silence.isLong(at: at(35.4)), "what comes late is no news")
    #expect(silence.needsReading(at: at(18)), "what came need not be whole: the library may have seen nothing")
    silence.frame(at: at(18))
    #expect(!silence.needsReading(at: at(35.4)) && silence.needsReading(at: at(35.5)))
  }

  @Test("the socket is asked whether a heartbeat has come before one is missing, and not while frames come")
  func noticing() {
    var silence = silence()
    #expect(!silence.asksForInput(at: at(2.4)))
    #expect(silence.asksForInput(at: at(2.5)))
    silence.input(at: at(5))
    #expect(!silence.asksForInput(at: at(7.4)))
  }

  @Test("the library is called after a margin without a call, and at each turn toward the end of the silence")
  func reading() {
    var silence = silence()
    #expect(!silence.isReadDue(at: at(2.4)) && silence.isReadDue(at: at(2.5)))
    silence.read(at: at(16))
    #expect(!silence.isReadDue(at: at(17.4)) && silence.isReadDue(at: at(17.5)))
    silence.frame(at: at(17))
    #expect(!silence.isReadDue(at: at(18.4)) && silence.isReadDue(at: at(18.5)))
  }

  @Test("the margin is a quarter of the shorter interval, and of the wanted one where the broker wants no heartbeats")
  func margins() {
    for (agreed, margin) in [(10, 2_500), (4, 1_000), (0, 2_500)] {
      let silence = Silence(agreed: .seconds(agreed), wanted: .seconds(10), since: start)
      #expect(silence.margin == .milliseconds(margin) && silence.heartbeat == .seconds(agreed))
    }
  }

  @Test("without heartbeats it may last")
  func none() {
    let silence = silence(heartbeat: .zero)
    #expect(!silence.isLong(at: at(3_600)) && !silence.asksForInput(at: at(3_600)))
  }
}
