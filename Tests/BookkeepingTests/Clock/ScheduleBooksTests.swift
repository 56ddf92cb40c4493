import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Schedules in the books")
struct ScheduleBooksTests {
  /// Half a minute past a full one, so that a firing is half a minute away.
  private let start = HandClock.start + .seconds(30)

  private func books(_ missed: MissedRuns = .once) async throws -> Books {
    let schedule = try #require(
      CronSchedule(
        name: "minutely", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "deposit",
        missed: missed))
    let books = try await Books(schedules: [schedule])
    try await books.bookkeeper.fireSchedules(at: start)
    #expect(try await books.told().assignments.isEmpty)
    return books
  }

  @Test("a firing is one job, also when a coordinator takes over at that moment")
  func once() async throws {
    let books = try await books()
    let time = start + .seconds(31)
    try await books.bookkeeper.fireSchedules(at: time)
    let fired = JobID(schedule: "minutely", firedAt: start + .seconds(30))
    #expect(try await books.told().assignments.map(\.job) == [fired])
    try await books.bookkeeper.fireSchedules(at: time)
    let later = try await books.succeeded()
    _ = try await later.told()
    try await later.bookkeeper.fireSchedules(at: time)
    #expect(try await later.told().assignments.isEmpty)
    #expect(await later.bookkeeper.released.count == 1)
  }

  @Test("a schedule that is new begins now")
  func new() async throws {
    let books = try await books(.all)
    try await books.bookkeeper.fireSchedules(at: start + .seconds(29))
    #expect(await books.bookkeeper.released.isEmpty)
  }

  @Test(
    "what was missed is made up for by the schedule's rule",
    arguments: [(MissedRuns.skip, 1), (.once, 2), (.all, 5)])
  func missed(rule: MissedRuns, expected: Int) async throws {
    let books = try await books(rule)
    let later = try await books.succeeded()
    try await later.bookkeeper.fireSchedules(at: start + .seconds(300))
    #expect(await later.bookkeeper.released.count == expected)
  }

  @Test("a schedule goes on from the clock that was set back, and no firing is repeated", arguments: [120, 86_400])
  func clockSetBack(seconds: Int64) async throws {
    let books = try await books()
    try await books.bookkeeper.fireSchedules(at: start + .seconds(31))
    #expect(try await books.told().assignments.count == 1)
    let back = start - .seconds(seconds)
    try await books.bookkeeper.fireSchedules(at: back)
    #expect(try await books.told().assignments.isEmpty)
    try await books.bookkeeper.fireSchedules(at: back + .seconds(31))
    let again = JobID(schedule: "minutely", firedAt: back + .seconds(30))
    #expect(try await books.told().assignments.map(\.job) == [again])
    var time = back
    while time <= start + .seconds(31) {
      time = time + .seconds(60)
      try await books.bookkeeper.fireSchedules(at: time)
      if seconds > 120 { break }
    }
    let jobs = try await books.told().assignments.map(\.job)
    #expect(Set(jobs).count == jobs.count)
    #expect(!jobs.contains(JobID(schedule: "minutely", firedAt: start + .seconds(30))))
  }

  @Test("what many schedules have missed is made up for turn by turn, and nothing of it is lost or comes twice")
  func budget() async throws {
    let (count, minutes) = (300, 10)
    let schedules = try (0..<count).map { number in
      try #require(
        CronSchedule(
          name: "schedule-\(number)", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "deposit",
          missed: .all))
    }
    let books = try await Books(window: 1, schedules: schedules)
    try await books.bookkeeper.lookAtClock(start)
    let later = start + .seconds(60 * minutes)
    let held = { await books.bookkeeper.memory.desks["work"]?.ready.reduce(0, +) ?? 0 }
    var (before, turns) = (0, 1)
    while try await books.bookkeeper.lookAtClock(later) {
      let now = await held()
      #expect(
        now - before <= Schedules.limit + minutes, "no turn makes more than its budget, and what one schedule has")
      (before, turns) = (now, turns + 1)
    }
    #expect(turns >= count * minutes / (Schedules.limit + minutes))
    let jobs = try await books.ledger.read { try $0.jobs(JobFilter(department: "work", limit: 1)).jobs.first?.number }
    #expect(jobs == Int64(count * minutes))
    #expect(try await !books.bookkeeper.lookAtClock(later))
  }

  @Test("a firing that could not be recorded is looked for again")
  func notRecorded() async throws {
    let books = try await books(.skip)
    let time = start + .seconds(31)
    try await books.bookkeeper.fireSchedules(at: time)
    #expect(await books.bookkeeper.agenda != nil)
    try await books.restart()
    #expect(await books.bookkeeper.agenda == nil)
  }
}
