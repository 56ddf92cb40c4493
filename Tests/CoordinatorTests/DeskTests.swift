import Decisions
import JobModel
import Testing

@testable import Coordinator

@Suite("A department's desk")
struct DeskTests {
  @Test("a job that is accepted while its window has room is released at once")
  func releasesAtOnce() {
    var desk = Desk(isOrdered: false, window: 2)
    #expect(desk.takeAtOnce(4) == .shared)
    #expect(desk.takeAtOnce(4) == .shared)
  }

  @Test("a full window leaves an urgent job the reserve of its own level")
  func reserveOfItsLevel() {
    var desk = Desk(isOrdered: false, window: 10)
    for _ in 0..<10 { #expect(desk.takeAtOnce(4) == .shared) }
    #expect(desk.takeAtOnce(4) == .reserve)
    #expect(desk.takeAtOnce(4) == nil)
    #expect(desk.takeAtOnce(9) == .reserve)
  }

  @Test("a job does not overtake those of its level that are held")
  func doesNotOvertake() {
    var desk = Desk(isOrdered: false, window: 10)
    desk.hold(.room, 4)
    #expect(desk.takeAtOnce(4) == nil)
    #expect(desk.takeAtOnce(5) == .shared)
  }

  @Test("an ordered department releases one at a time, and nothing past what is held")
  func orderedHasOnePlace() {
    var desk = Desk(isOrdered: true, window: 2_000)
    #expect(desk.takeAtOnce(9) == .shared)
    #expect(desk.takeAtOnce(9) == nil)
    desk.give(.shared, 9)
    desk.hold(.room, 1)
    #expect(desk.takeAtOnce(9) == nil)
    #expect(desk.takeReady(1) == .shared)
  }

  @Test("a place that is given back is there for the next")
  func placesComeBack() {
    var desk = Desk(isOrdered: false, window: 1)
    #expect(desk.takeAtOnce(4) == .shared)
    desk.hold(.room, 4)
    #expect(desk.room(for: 4) == 1)  // its level's reserve
    desk.give(.shared, 4)
    #expect(desk.takeReady(4) == .shared)
    #expect(desk.heldCount == 0)
    #expect(!desk.hasRoomForReady)
  }
}
