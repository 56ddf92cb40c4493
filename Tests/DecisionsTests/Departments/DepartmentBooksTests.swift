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

  @Test("an ordered department releases nothing at once: a job waits until its turn is known")
  func orderedReleasesNothingAtOnce() {
    var books = DepartmentBooks(isOrdered: true, window: 2_000)
    #expect(books.takeAtOnce(9) == nil)
    books.count(1, .room, 1)
    #expect(books.take(1, heldFor: .room) == .shared)
  }

  @Test("an ordered department releases the jobs of one group beside each other, and no other")
  func orderedReleasesOneGroup() {
    let (first, second) = (OrderGroup(plan: 1, rank: 1), OrderGroup(plan: 1, rank: 2))
    var books = DepartmentBooks(isOrdered: true, window: 2_000)
    books.count(3, .room, 1)
    for _ in 0..<2 {
      #expect(books.mayJoin(first))
      #expect(books.take(1, heldFor: .room) == .shared)
      books.join(first)
    }
    #expect(books.group == first)
    #expect(!books.mayJoin(second))
    books.give(.shared, 1)
    books.leave(first)
    #expect(books.group == first)
    books.give(.shared, 1)
    books.leave(first)
    #expect(books.group == nil)
    #expect(books.mayJoin(second))
  }

  @Test("a released job without an order leaves an ordered department no room for a group")
  func withoutGroup() {
    let group = OrderGroup(plan: 1, rank: 1)
    var books = DepartmentBooks(isOrdered: true, window: 2_000)
    _ = books.takeRegardless(4)
    books.join(nil)
    #expect(!books.mayJoin(group))
    _ = books.takeRegardless(4)
    books.join(group)
    #expect(books.group == nil)
    #expect(!books.mayJoin(group))
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
