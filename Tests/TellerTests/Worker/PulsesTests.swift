import Testing

@testable import Teller

@Suite("The pulses that a worker sends itself")
struct PulsesTests {
  private let limit: Duration = .seconds(10)
  private let now = WorkerState.Instant.now

  private func isLate(_ pulses: Pulses, after seconds: Int) -> Bool {
    pulses.isLate(by: limit, at: now + .seconds(seconds))
  }

  @Test("one is late when it has not come back in time, and no longer when a later one has")
  func late() {
    var pulses = Pulses()
    #expect(!isLate(pulses, after: 1_000))
    pulses.send(at: now)
    pulses.send(at: now + .seconds(5))
    #expect(!isLate(pulses, after: 10))
    #expect(isLate(pulses, after: 11))
    pulses.hear(1)
    #expect(!isLate(pulses, after: 15))
    #expect(isLate(pulses, after: 16))
    pulses.hear(2)
    #expect(!isLate(pulses, after: 1_000))
  }

  @Test("somebody else's number, or an old one, says nothing")
  func foreign() {
    var pulses = Pulses()
    pulses.send(at: now)
    for number in [nil, 0, 2, -1] { pulses.hear(number) }
    #expect(isLate(pulses, after: 11))
  }

  @Test("a doubt lasts until a pulse comes back that was sent after it, and that one is timed before it can be sent")
  func doubt() {
    var pulses = Pulses()
    pulses.send(at: now)
    pulses.doubt(at: now + .seconds(11))
    #expect(pulses.isDoubtful)
    pulses.hear(1)
    #expect(pulses.isDoubtful, "it may lie in the socket for as long as what is in doubt")
    #expect(!isLate(pulses, after: 21))
    #expect(isLate(pulses, after: 22), "during an alarm of the broker nothing can be sent")
    pulses.send(at: now + .seconds(30))
    pulses.hear(2)
    #expect(!pulses.isDoubtful)
    #expect(!isLate(pulses, after: 1_000))
  }
}
