import Testing

@testable import Hosting

@Suite("The life of a host")
struct HostLifeTests {
  private enum Fact: CaseIterable { case start, open, close, drain, stop }

  /// What services are told when these things happen one after the other.
  private func told(_ facts: [Fact]) -> [LifeCall] {
    var (life, calls) = (HostLife(), [LifeCall]())
    for fact in facts {
      switch fact {
      case .start:
        life.start()
        calls += life.soFar
      case .open: calls += [life.show(isOpen: true)].compactMap(\.self)
      case .close: calls += [life.show(isOpen: false)].compactMap(\.self)
      case .drain: calls += [life.drain()].compactMap(\.self)
      case .stop: calls += [life.stop()].compactMap(\.self)
      }
    }
    return calls
  }

  @Test("is opened once, then paused and resumed")
  func pauses() {
    #expect(
      told([.start, .close, .open, .open, .close, .close, .open, .drain, .stop])
        == [.started, .opened, .paused, .resumed, .draining, .stopped])
  }

  @Test("has no pauses after its drain began, and is not opened then")
  func draining() {
    #expect(told([.start, .open, .drain, .close, .open, .drain, .stop]) == [.started, .opened, .draining, .stopped])
    #expect(told([.start, .drain, .open, .stop]) == [.started, .draining, .stopped])
  }

  @Test("may end at any time, and is told of nothing then")
  func stopped() {
    #expect(told([.start, .stop, .open, .close, .drain, .stop]) == [.started, .stopped])
    #expect(told([.open, .drain, .stop, .open]) == [])
  }

  @Test("before the start everything is noted, and told with the start")
  func early() {
    #expect(told([.open, .start, .close]) == [.started, .opened, .paused])
    #expect(told([.open, .close, .start, .open]) == [.started, .opened])
    #expect(told([.drain, .start, .stop]) == [.started, .draining, .stopped])
  }

  @Test("who comes late is told how the host stands, and then the same as the others")
  func late() {
    var life = HostLife()
    #expect(life.soFar == [])
    life.start()
    _ = life.show(isOpen: true)
    _ = life.show(isOpen: false)
    _ = life.show(isOpen: true)
    #expect(life.soFar == [.started, .opened])
    _ = life.show(isOpen: false)
    _ = life.drain()
    #expect(life.soFar == [.started, .opened, .paused, .draining])
    _ = life.stop()
    #expect(life.soFar == [])
  }

  /// Every order of up to seven things: what is told is always a life.
  @Test("whatever happens, in whatever order, the calls follow each other as promised")
  func everyOrder() {
    var orders: [[Fact]] = [[]]
    for _ in 1...7 {
      for order in orders { check(told(order), after: order) }
      // A host starts once: the runner sees to that.
      orders = orders.flatMap { order in
        Fact.allCases.filter { $0 != .start || !(order.contains(.start) || order.contains(.stop)) }.map { order + [$0] }
      }
    }
    #expect(orders.count > 10_000)
  }

  private func check(_ calls: [LifeCall], after order: [Fact]) {
    let follow: [LifeCall?: Set<LifeCall>] = [
      nil: [.started], .started: [.opened, .draining, .stopped], .opened: [.paused, .draining, .stopped],
      .paused: [.resumed, .draining, .stopped], .resumed: [.paused, .draining, .stopped], .draining: [.stopped],
      .stopped: [],
    ]
    var last: LifeCall?
    for call in calls {
      #expect(follow[last]?.contains(call) == true, "\(calls) after \(order)")
      last = call
    }
  }
}
