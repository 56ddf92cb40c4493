import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("Schedules in the books")
struct ScheduleBooksTests {
  /// Half a minute past a full one, so that a firing is half a minute away.
  private let start = Timestamp(milliseconds: Timestamp.now().milliseconds / 60_000 * 60_000 + 30_000)

  private func books(_ missed: MissedRuns = .once) async throws -> Books {
    let schedule = try #require(
      CronSchedule(
        name: "minutely", expression: try CronExpression("* * * * *"), timeZone: .gmt, kind: "deposit",
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

  @Test("a firing that could not be recorded is looked for again")
  func notRecorded() async throws {
    let books = try await books(.skip)
    let time = start + .seconds(31)
    try await books.bookkeeper.fireSchedules(at: time)
    #expect(await books.bookkeeper.nextFiring != nil)
    try await books.restart()
    #expect(await books.bookkeeper.nextFiring == nil)
  }
}
