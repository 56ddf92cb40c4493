import Teller
import Testing

@testable import BankExample

@Suite("The floor")
struct FloorTests {
  private let first = Customer(id: JobID(), number: 1, business: .deposit)
  private let second = Customer(id: JobID(), number: 2, business: .deposit)
  private let third = Customer(id: JobID(), number: 3, business: .loan)

  private func floor() -> Floor {
    var floor = Floor()
    floor.entered([first, second, third])
    return floor
  }

  private func floor(_ obstacle: Obstacle) -> Floor {
    var floor = floor()
    floor.obstacles = [obstacle]
    return floor
  }

  @Test("who comes in waits, then is served, then has left")
  func visit() {
    var floor = floor()
    #expect(floor.counters[.deposit]?.waiting == [1, 2])
    let started = floor.started(second)
    #expect(started)
    #expect(floor.counters[.deposit]?.waiting == [1])
    #expect(floor.counters[.deposit]?.serving == [2])
    let ended = floor.ended(second, well: true)
    #expect(ended)
    #expect(floor.counters[.deposit]?.serving == [])
    #expect(floor.served == 1)
  }

  @Test("a short visit ends without having been seen to start")
  func shortVisit() {
    var floor = floor()
    let ended = floor.ended(third, well: true)
    #expect(ended)
    #expect(floor.counters[.loan]?.waiting == [])
    #expect(floor.served == 1)
  }

  @Test("what is told twice, or too late, changes nothing")
  func twice() {
    var floor = floor()
    _ = floor.ended(first, well: true)
    let after = floor
    let isNews = (floor.ended(first, well: true), floor.started(first))
    #expect(isNews == (false, false))
    #expect(floor == after)
  }

  @Test("the bank is busy until the last customer has left")
  func busy() {
    var floor = floor()
    for customer in [first, second] { _ = floor.ended(customer, well: true) }
    #expect(floor.isBusy)
    _ = floor.ended(third, well: false)
    #expect(!floor.isBusy)
    #expect(floor.counters[.loan]?.failed == 1)
  }

  @Test("the live view shows who waits and who is served, and no line is wider than the terminal")
  func frame() {
    var floor = floor()
    _ = floor.started(first)
    let wide = LiveView.frame(floor, clock: .seconds(2), width: 80)
    #expect(wide.contains("    serving   #1"))
    #expect(wide.contains("    waiting   1  #2"))
    #expect(LiveView.frame(floor, clock: .seconds(2), width: 10).allSatisfy { $0.count < 10 })
    floor.obstacles = [.unstaffed("deposit")]
    let advised = LiveView.frame(floor, clock: .seconds(2), width: 60)
    #expect(advised.suffix(1) == ["  start one with `bank worker --department deposit=1`"])
  }

  @Test("each piece of news is one line")
  func news() {
    for obstacle in [Obstacle.noBroker, .blockedBroker, .noCoordinator, .paused("loan"), .unstaffed("loan")] {
      #expect(!News.met(obstacle).line.contains("\n"))
      let frame = LiveView.frame(floor(obstacle), clock: .seconds(2), width: 80)
      #expect(frame.suffix(2) == obstacle.advice.map { "  \($0)" })
    }
    #expect(News.served(first).line == "deposit: customer 1 is served")
    #expect(News.entered([first, second, third]).line == "3 customers come in: 2 for deposit, 1 for loan")
  }

  @Test(
    "tellers are given as name=number, and nothing else", arguments: ["deposit", "=1", "a b=1", "deposit=0", "x=y"])
  func staffing(text: String) {
    #expect(Staffing(argument: text) == nil)
    #expect(Staffing(argument: "deposit=2")?.tellers == 2)
  }
}
