import JobModel
import TestSupport
import Testing

@testable import Decisions

@Suite("What a department holds")
struct HoldTests {
  @Test("a job is held by the first reason that applies: a time, other jobs, room")
  func firstReason() {
    #expect(Hold(notBefore: .noon, openDependencies: 2) == .time)
    #expect(Hold(notBefore: nil, openDependencies: 2) == .jobs)
    #expect(Hold(notBefore: nil, openDependencies: 0) == .room)
  }

  @Test("each reason is counted by itself, and all together are what is held")
  func counts() {
    var books = DepartmentBooks(isOrdered: false, window: 10)
    books.count(1, .time, 4)
    books.count(2, .jobs, 4)
    books.count(3, .room, 4)
    #expect([books.delayed, books.dependent, books.readyCount, books.heldCount] == [1, 2, 3, 6])
    books.count(-1, .jobs, 4)
    books.count(1, .room, 4)
    #expect([books.delayed, books.dependent, books.readyCount, books.heldCount] == [1, 1, 4, 6])
  }

  @Test("nobody overtakes by being accepted while others wait for a time")
  func delayedDoNotBlock() {
    var books = DepartmentBooks(isOrdered: false, window: 10)
    books.count(1, .time, 4)
    books.count(1, .jobs, 4)
    #expect(books.takeAtOnce(4) == .shared)
  }

  @Test("an ordered department releases nothing past one that waits for a time")
  func orderedWaits() {
    var books = DepartmentBooks(isOrdered: true, window: 10)
    books.count(1, .time, 4)
    #expect(books.takeAtOnce(4) == nil)
  }

  @Test("a paused department has no room")
  func paused() {
    var books = DepartmentBooks(isOrdered: false, window: 10)
    books.count(1, .room, 4)
    #expect(books.hasRoomForReady)
    books.closures = [.paused]
    #expect(!books.hasRoomForReady)
    #expect(books.takeAtOnce(9) == nil)
  }

  @Test("a cap is exact: no level has a reserve beyond it")
  func capped() {
    var books = DepartmentBooks(isOrdered: false, window: 10, cap: 2)
    #expect(books.takeAtOnce(4) == .shared)
    #expect(books.takeAtOnce(4) == .shared)
    #expect(books.takeAtOnce(9) == nil)
    #expect(books.window.limit == 2)
  }

  @Test("a void release keeps its place, and is not counted as released")
  func void() {
    var books = DepartmentBooks(isOrdered: false, window: 2)
    let slot = books.takeRegardless(4)
    books.countVoid(1)
    #expect(books.releasedCount == 0)
    #expect(books.window.inUse == 1)
    books.countVoid(-1)
    books.give(slot, 4)
    #expect(books.window.inUse == 0)
  }
}
