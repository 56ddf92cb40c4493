import JobModel
import Testing

@testable import Hosting

@Suite("The pushes that wait to be handed over")
struct PushBufferTests {
  private let start = ContinuousClock.now
  private let first = Push.example()
  private let second = Push.example()

  private func limits(room: Int = 10, bytes: Int = 100) -> PushLimits {
    var limits = PushLimits()
    (limits.room, limits.bytes) = (room, bytes)
    (limits.firstPause, limits.longestPause) = (.seconds(1), .seconds(5))
    return limits
  }

  private func buffer(_ pushes: Push...) -> PushBuffer {
    var buffer = PushBuffer(limits())
    for push in pushes { buffer.hold(push) }
    return buffer
  }

  @Test("are tried in their order, each until it was taken")
  func order() {
    var buffer = buffer(first, second)
    #expect(buffer.next(at: start) == .push(first))
    #expect(buffer.next(at: start) == .push(second), "the first one is in hand")
    #expect(buffer.next(at: start) == .nothing)
    #expect(buffer.remove(first.id) && !buffer.remove(first.id))
    #expect(buffer.pushes == [second])
  }

  @Test("wait for their next try, longer and longer up to a limit, and do not hold up the others")
  func pauses() {
    var (buffer, now) = (buffer(first, second), start)
    #expect(buffer.next(at: now) == .push(first))
    for (number, pause) in [1, 2, 4, 5, 5].enumerated() {
      #expect(buffer.fail(first.id, at: now) == number + 1)
      if number == 0 { #expect(buffer.next(at: now) == .push(second)) }
      let due = now + .seconds(pause)
      #expect(buffer.next(at: now) == .pause(until: due))
      #expect(buffer.next(at: due) == .push(first))
      now = due
    }
  }

  @Test("of which several wait are tried again when the first one is due, or all at once when there is reason to")
  func retry() {
    var buffer = buffer(first, second)
    for push in [first, second] {
      #expect(buffer.next(at: start) == .push(push))
      _ = buffer.fail(push.id, at: push == first ? start + .seconds(1) : start)
    }
    #expect(buffer.next(at: start) == .pause(until: start + .seconds(1)))
    buffer.retry()
    #expect(buffer.next(at: start) == .push(first))
    #expect(buffer.next(at: start) == .push(second))
  }

  @Test("have limited room, in number and in bytes; one that is held already needs none, and is not held twice")
  func room() {
    var buffer = PushBuffer(limits(room: 2))
    #expect(buffer.take(first) && buffer.take(second))
    #expect(!buffer.hasRoom && !buffer.take(Push.example()))
    #expect(buffer.take(first) && buffer.count == 2)
    #expect(buffer.remove(first.id) == true)
    #expect(buffer.take(Push.example()) == true)
    var narrow = PushBuffer(limits(bytes: 3))
    #expect(narrow.take(.example(bytes: 2)) && narrow.take(.example(bytes: 2)))
    #expect(narrow.take(.example(bytes: 0)) == false)
  }

  @Test("have one try each in the last round, at once; one that is in hand then has one more when it fails")
  func lastRound() {
    var buffer = buffer(first, second)
    #expect(buffer.next(at: start) == .push(first))
    #expect(buffer.fail(first.id, at: start) == 1)
    #expect(buffer.next(at: start) == .push(second))
    buffer.beginLastRound()
    #expect(buffer.next(at: start) == .push(first))
    #expect(buffer.next(at: start) == .nothing)
    for push in [first, second] { #expect(buffer.fail(push.id, at: start) != nil) }
    #expect(buffer.next(at: start) == .push(second))
    #expect(buffer.fail(second.id, at: start) == 2)
    #expect(buffer.next(at: start) == .nothing)
    #expect(buffer.pushes == [first, second])
  }

  @Test("that nobody holds any more are not tried again when a late answer says that they failed")
  func late() {
    var buffer = buffer(first)
    #expect(buffer.next(at: start) == .push(first))
    #expect(buffer.remove(first.id) == true)
    #expect(buffer.fail(first.id, at: start) == nil && buffer.isEmpty)
  }

  @Test("however often they failed wait no longer than the longest pause")
  func manyTries() {
    #expect(limits().pause(after: .max) == .seconds(5))
    #expect(PushLimits().pause(after: 1_000) == PushLimits().longestPause)
  }
}

extension Push {
  fileprivate static func example(bytes: Int = 1) -> Push {
    Push(id: JobID(), event: "push", payload: Array(repeating: 1, count: bytes))
  }
}
