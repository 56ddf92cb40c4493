import Testing
import TestSupport

@testable import Decisions
@testable import JobModel

@Suite("Window")
struct WindowTests {
  @Test("when the shared window is full, each priority has a reserve of a tenth")
  func reserve() {
    var window = Window(limit: 20)
    for _ in 0..<20 { #expect(window.take(.normal) == .shared) }
    #expect(window.take(.normal) == .reserve)
    #expect(window.take(.normal) == .reserve)
    #expect(window.take(.normal) == nil)
    #expect(!window.hasRoom(for: .normal))
    #expect(window.hasRoom(for: 9))
    #expect(window.take(9) == .reserve)
    #expect(window.inUse == 23)
  }

  @Test("what is given back can be taken again, in the slot it was taken from")
  func give() {
    var window = Window(limit: 1)
    #expect(window.take(3) == .shared)
    #expect(window.take(3) == .reserve)
    window.give(.reserve, 3)
    #expect(window.sharedRoom == 0)
    #expect(window.take(3) == .reserve)
    window.give(.shared, 3)
    #expect(window.take(5) == .shared)
  }

  @Test("an ordered department has a place for every step of a rank, whatever its priority, and no reserve")
  func ordered() {
    var window = Window.ordered
    for number in 0..<100 { #expect(window.take(Priority(number % 10) ?? .normal) == .shared) }
    for level in Priority.levels { #expect(Priority(level).map { window.hasRoom(for: $0) } == false) }
    window.give(.shared, 0)
    #expect(window.take(9) == .shared)
  }

  @Test("a cap is exact: no priority has a reserve beyond it")
  func cap() {
    var window = Window(limit: 2_000, cap: 3)
    for priority in [0, 9, 4] as [Priority] { #expect(window.take(priority) == .shared) }
    for level in Priority.levels {
      let priority = Priority(level) ?? .normal
      #expect(!window.hasRoom(for: priority))
      #expect(window.take(priority) == nil)
    }
    #expect(window.inUse == 3)
    window.give(.shared, 9)
    #expect(window.take(0) == .shared)
  }

  @Test("a window that is smaller than the cap goes before it")
  func smallerThanCap() {
    let window = Window(limit: 2, cap: 5)
    #expect((window.limit, window.reserve) == (2, 0))
  }

  @Test("what is released already is counted even beyond the limit")
  func regardless() {
    var window = Window(limit: 1)
    for _ in 0..<5 { _ = window.takeRegardless(4) }
    #expect(window.inUse == 5)
    #expect(window.sharedRoom == 0)
    for _ in 0..<3 { window.give(.shared, 4) }
    #expect(window.sharedRoom == 0)
    window.give(.shared, 4)
    #expect(window.sharedRoom == 1)
  }

  @Test("what is counted again in another order, as after a restart, makes no room beyond the window and its reserves")
  func recounted() {
    var window = Window(limit: 40)
    var taken: [Priority] = []
    for level in Priority.levels.reversed() {
      guard let priority = Priority(level) else { continue }
      while window.take(priority) != nil { taken.append(priority) }
    }
    #expect(taken.count == window.most)
    var again = Window(limit: 40)
    for priority in taken.reversed() { _ = again.takeRegardless(priority) }
    #expect(again.inUse == again.most)
    for level in Priority.levels { #expect(Priority(level).map { again.hasRoom(for: $0) } == false) }
    again.give(.shared, 9)
    #expect(again.sharedInUse > again.limit)
    #expect(again.take(8) == .reserve)
    #expect(again.take(7) == nil)
  }

  @Test("taking and giving in any order never goes beyond the limits, and all comes back")
  func anyOrder() {
    var random = SeededRandom(for: "window")
    for _ in 0..<200 {
      let limit = Int.random(in: 1...30, using: &random)
      var window = Window(limit: limit)
      var taken: [(Window.Slot, Priority)] = []
      for _ in 0..<200 {
        if Bool.random(using: &random), let index = taken.indices.randomElement(using: &random) {
          let (slot, priority) = taken.remove(at: index)
          window.give(slot, priority)
        } else {
          let priority = Priority(Int.random(in: Priority.levels, using: &random)) ?? .normal
          let hadRoom = window.hasRoom(for: priority)
          let slot = window.take(priority)
          #expect((slot != nil) == hadRoom)
          if let slot { taken.append((slot, priority)) }
        }
        #expect(window.inUse == taken.count)
        #expect(window.sharedInUse <= limit)
        #expect(window.reserveInUse.allSatisfy { (0...window.reserve).contains($0) })
      }
      for (slot, priority) in taken { window.give(slot, priority) }
      #expect(window == Window(limit: limit))
    }
  }
}
