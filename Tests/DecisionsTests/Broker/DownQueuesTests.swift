import Testing

@testable import Decisions

@Suite("Queues whose node is down")
struct DownQueuesTests {
  private let limit = DownQueues.limit

  @Test("a queue is waited for, and made anew when it has been down for the limit")
  func limitPasses() {
    var queues = DownQueues()
    #expect(queues.look(["a"], at: .seconds(5)) == .init(awaited: ["a"]))
    #expect(queues.suspectedSince == .seconds(5))
    #expect(queues.look(["a"], at: .seconds(5) + limit - .milliseconds(1)) == .init(awaited: ["a"]))
    #expect(queues.look(["a"], at: .seconds(5) + limit) == .init(renewed: ["a"]))
  }

  @Test("the time counts from the moment at which the broker was asked in vain")
  func countsFromTheFirstRefusal() {
    var queues = DownQueues()
    queues.suspect(since: .seconds(1))
    queues.suspect(since: .seconds(4))
    #expect(queues.suspectedSince == .seconds(1))
    #expect(queues.look(["a", "b"], at: .seconds(1) + limit) == .init(renewed: ["a", "b"]))
  }

  @Test("a suspicion without a queue that is down is dropped")
  func falseAlarm() {
    var queues = DownQueues()
    queues.suspect(since: .seconds(1))
    #expect(queues.look([], at: .seconds(100)) == .init())
    #expect(queues.suspectedSince == nil)
    // What is down later has its own time.
    #expect(queues.look(["a"], at: .seconds(101)) == .init(awaited: ["a"]))
  }

  @Test("a queue that was back in between has the whole time again")
  func back() {
    var queues = DownQueues()
    #expect(queues.look(["a", "b"], at: .zero) == .init(awaited: ["a", "b"]))
    #expect(queues.look(["b"], at: limit / 2) == .init(awaited: ["b"]))
    queues.suspect(since: limit)
    #expect(queues.look(["b"], at: limit) == .init(renewed: ["b"]))
    #expect(queues.look([], at: limit) == .init())
    #expect(queues.look(["a"], at: limit * 2) == .init(awaited: ["a"]))
  }

  @Test("when all queues have been made anew, what is down later has the whole time")
  func renewed() {
    var queues = DownQueues()
    queues.suspect(since: .zero)
    #expect(queues.look(["a", "b"], at: limit) == .init(renewed: ["a", "b"]))
    queues.renewed("a")
    #expect(queues.suspectedSince == .zero)
    queues.renewed("b")
    #expect(queues.suspectedSince == nil)
    queues.suspect(since: limit * 5)
    #expect(queues.look(["a"], at: limit * 5) == .init(awaited: ["a"]))
  }

  @Test("a queue that the broker would not make anew is tried again after the whole time")
  func refused() {
    var queues = DownQueues()
    queues.suspect(since: .zero)
    #expect(queues.look(["a"], at: limit).renewed == ["a"])
    #expect(queues.couldNotRenew("a", at: limit) == true)
    #expect(queues.look(["a"], at: limit * 2 - .milliseconds(1)) == .init(awaited: ["a"]))
    #expect(queues.look(["a"], at: limit * 2) == .init(renewed: ["a"]))
    #expect(queues.couldNotRenew("a", at: limit * 2) == false)
    // Once it was back, it is news again.
    _ = queues.look([], at: limit * 2)
    #expect(queues.couldNotRenew("a", at: limit * 3) == true)
  }
}
