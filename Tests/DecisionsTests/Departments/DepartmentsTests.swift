import JobModel
import Testing

@testable import Decisions

@Suite("All departments")
struct DepartmentsTests {
  private let work = JobQueue("work")
  private let loans = JobQueue("work", kind: "loan")

  private func departments(window: Int = 10) -> Departments {
    Departments([
      "work": DepartmentBooks(isOrdered: false, window: window), "init": DepartmentBooks(isOrdered: true, window: 1),
    ])
  }

  @Test("a place is given once, and given back it is free: the department may have something to release then")
  func given() throws {
    let departments = departments(window: 1)
    departments.filled("work")
    let place = try #require(departments.takeAtOnce("deposit", 4, in: "work", by: .department))
    #expect(place == WindowPlace(queue: work, priority: 4, slot: .shared))
    #expect(departments["work"].window.inUse == 1)
    departments.give(place)
    #expect(departments["work"].window.inUse == 0)
    #expect(departments.unfilled.contains("work"))
  }

  @Test("a department is closed as long as there is one reason, and a job that is accepted waits")
  func closed() {
    let departments = departments()
    departments.close("work", for: .paused)
    departments.close("work", for: .clearing(7))
    departments.open("work", from: .clearing(7))
    #expect(departments.takeAtOnce("deposit", 4, in: "work", by: .department) == nil)
    #expect(departments.toFill() == ["init"])
    departments.open("work", from: .paused)
    #expect(departments.takeAtOnce("deposit", 4, in: "work", by: .department) != nil)
    #expect(departments.toFill() == ["init", "work"])
  }

  @Test("what was held when a command began waits for it to end, and a job that comes later does not")
  func clearing() {
    let departments = departments()
    departments.hold(.room, 4, in: "work")
    departments.close("work", for: .clearing(1))
    #expect(departments["work"].room(for: 4) == 0)
    #expect(departments.takeAtOnce("deposit", 5, in: "work", by: .department) != nil)
    #expect(departments["work"].isBeingCleared)
  }

  @Test("a closure of all departments holds for one that comes into the books later, too")
  func closedForAll() {
    let departments = departments()
    departments.closeAll(for: .rolledBack)
    #expect(departments["later"].closures == [.rolledBack, .unconfigured])
    departments.openAll(from: .rolledBack)
    #expect(departments["later"].closures == [.unconfigured])
    #expect(departments["work"].isOpen)
  }

  @Test("the gate of a plan holds for a department that comes into the books later, too, until the plan is open")
  func gatedLater() {
    let departments = departments()
    departments.gate(["work": ["opening"], "later": ["opening", "daily"]])
    departments.close("later", for: .paused)
    #expect(departments["later"].gates == ["daily", "opening"])
    #expect(departments["work"].gates == ["opening"])
    departments.gate(["later": ["daily"]])
    #expect(departments["later"].gates == ["daily"])
    #expect(departments["work"].isOpen)
    departments.reset()
    #expect(departments["later"].gates.isEmpty)
  }

  @Test("the queue of a kind has its part of the shared window, and beyond it the reserve of a priority")
  func parts() throws {
    let departments = departments(window: 4)
    _ = departments.kindQueues.use(loans, isServed: true)
    #expect(departments.limit(beside: loans) == 2)
    var places: [WindowPlace] = []
    for _ in 0..<2 { places.append(try #require(departments.takeAtOnce("loan", 4, in: "work", by: .kind))) }
    #expect(departments.room(beside: loans) == 0)
    let third = try #require(departments.takeAtOnce("loan", 4, in: "work", by: .kind))
    #expect(third.slot == .reserve)
    #expect(departments.takeAtOnce("loan", 4, in: "work", by: .kind) == nil)
    #expect(departments.takeAtOnce("deposit", 4, in: "work", by: .department)?.slot == .shared)
    departments.give(places[0])
    #expect(departments.room(beside: loans) == 1)
  }

  @Test("a release that goes to another queue keeps its place, and is counted there")
  func moved() throws {
    let departments = departments()
    _ = departments.kindQueues.use(loans, isServed: true)
    let place = try #require(departments.takeAtOnce("loan", 4, in: "work", by: .department))
    let beside = departments.move(place, to: loans)
    #expect(departments.places(beside: loans) == 1)
    #expect(departments["work"].window.inUse == 1)
    #expect(departments.move(beside, to: work) == place)
    #expect(departments.places(beside: loans) == 0)
  }

  @Test("when a turn had not enough for all, the next begins behind the last department that had its turn")
  func turns() {
    let departments = departments()
    departments.mayFill("work")
    departments.mayFill("init")
    #expect(departments.toFill() == ["init", "work"])
    departments.interruptedFilling(after: "init")
    #expect(departments.toFill() == ["work", "init"])
    departments.filled("work")
    #expect(departments.toFill() == ["init"])
  }

  @Test("a job that is held for another reason is counted once, and to be counted anew nothing is held")
  func reheld() {
    let departments = departments()
    departments.hold(.time, 4, in: "work", count: 2)
    departments.rehold(from: .time, to: .handler, 4, in: "work")
    #expect([departments["work"].delayed, departments["work"].unserved, departments["work"].heldCount] == [1, 1, 2])
    departments.reset()
    #expect(departments["work"].heldCount == 0)
  }
}
