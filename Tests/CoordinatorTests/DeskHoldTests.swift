import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("What a department holds")
struct DeskHoldTests {
  @Test("a job is held by the first reason that applies: a time, other jobs, room")
  func firstReason() {
    #expect(Hold(notBefore: .now(), openDependencies: 2) == .time)
    #expect(Hold(notBefore: nil, openDependencies: 2) == .jobs)
    #expect(Hold(notBefore: nil, openDependencies: 0) == .room)
  }

  @Test("each reason is counted by itself, and all together are what is held")
  func counts() {
    var desk = Desk(isOrdered: false, window: 10)
    desk.hold(.time, 4)
    desk.hold(.jobs, 4, count: 2)
    desk.hold(.room, 4, count: 3)
    #expect([desk.delayed, desk.dependent, desk.readyCount, desk.heldCount] == [1, 2, 3, 6])
    desk.unhold(.jobs, 4)
    desk.hold(.room, 4)
    #expect([desk.delayed, desk.dependent, desk.readyCount, desk.heldCount] == [1, 1, 4, 6])
  }

  @Test("nobody overtakes by being accepted while others wait for a time")
  func delayedDoNotBlock() {
    var desk = Desk(isOrdered: false, window: 10)
    desk.hold(.time, 4)
    desk.hold(.jobs, 4)
    #expect(desk.takeAtOnce(4) == .shared)
  }

  @Test("an ordered department releases nothing past one that waits for a time")
  func orderedWaits() {
    var desk = Desk(isOrdered: true, window: 10)
    desk.hold(.time, 4)
    #expect(desk.takeAtOnce(4) == nil)
  }

  @Test("a paused department has no room")
  func paused() {
    var desk = Desk(isOrdered: false, window: 10)
    desk.hold(.room, 4)
    #expect(desk.hasRoomForReady)
    desk.isPaused = true
    #expect(!desk.hasRoomForReady)
    #expect(desk.takeAtOnce(9) == nil)
  }

  @Test("a cap is exact: no level has a reserve beyond it")
  func capped() {
    var desk = Desk(isOrdered: false, window: 10, cap: 2)
    #expect(desk.takeAtOnce(4) == .shared)
    #expect(desk.takeAtOnce(4) == .shared)
    #expect(desk.takeAtOnce(9) == nil)
    #expect(desk.window.limit == 2)
  }

  @Test("a void release keeps its place, and is not counted as released")
  func void() {
    var desk = Desk(isOrdered: false, window: 2)
    let slot = desk.countReleased(4)
    desk.countVoid(1)
    #expect(desk.releasedCount == 0)
    #expect(desk.window.inUse == 1)
    desk.countVoid(-1)
    desk.give(slot, 4)
    #expect(desk.window.inUse == 0)
  }
}
