import JobModel
import Testing

@testable import Decisions

@Suite("The books of a department")
struct DepartmentBooksTests {
  @Test("a job that is accepted while its window has room is released at once")
  func releasesAtOnce() {
    var books = DepartmentBooks(isOrdered: false, window: 2)
    #expect(books.takeAtOnce(4) == .shared)
    #expect(books.takeAtOnce(4) == .shared)
  }

  @Test("a full window leaves an urgent job the reserve of its own level")
  func reserveOfItsLevel() {
    var books = DepartmentBooks(isOrdered: false, window: 10)
    for _ in 0..<10 { #expect(books.takeAtOnce(4) == .shared) }
    #expect(books.takeAtOnce(4) == .reserve)
    #expect(books.takeAtOnce(4) == nil)
    #expect(books.takeAtOnce(9) == .reserve)
  }

  @Test("a job does not overtake those of its level that are held")
  func doesNotOvertake() {
    var books = DepartmentBooks(isOrdered: false, window: 10)
    books.count(1, .room, 4)
    #expect(books.takeAtOnce(4) == nil)
    #expect(books.takeAtOnce(5) == .shared)
  }

  @Test("an ordered department releases one at a time, and nothing past what is held")
  func orderedHasOnePlace() {
    var books = DepartmentBooks(isOrdered: true, window: 2_000)
    #expect(books.takeAtOnce(9) == .shared)
    #expect(books.takeAtOnce(9) == nil)
    books.give(.shared, 9)
    books.count(1, .room, 1)
    #expect(books.takeAtOnce(9) == nil)
    #expect(books.take(1, heldFor: .room) == .shared)
  }

  @Test("a place that is given back is there for the next")
  func placesComeBack() {
    var books = DepartmentBooks(isOrdered: false, window: 1)
    #expect(books.takeAtOnce(4) == .shared)
    books.count(1, .room, 4)
    #expect(books.room(for: 4) == 1)  // its level's reserve
    books.give(.shared, 4)
    #expect(books.take(4, heldFor: .room) == .shared)
    #expect(books.heldCount == 0)
    #expect(!books.hasRoomForReady)
  }
}
