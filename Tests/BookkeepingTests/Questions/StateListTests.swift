import Decisions
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("Lists of keys, plans and schedules in the books")
struct StateListTests {
  private func keyed(_ key: String, window: Duration = .seconds(3_600)) -> Submission {
    Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: key, window: .lasting(window)))
  }

  @Test("keys are listed with their jobs, as long as they are taken")
  func keys() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let first = try await books.release(keyed("a"))
    let second = try await books.release(keyed("b"))
    try await books.accept(Submission(id: JobID(), kind: "loan", key: SubmissionKey(text: "a")))
    try await books.present(worker, running: [RunningRelease(release: first.release, token: first.token)])
    let all = try await books.bookkeeper.listKeys(KeyQuery()).keys
    #expect(all.map { "\($0.kind) \($0.key)" } == ["deposit a", "deposit b", "loan a"])
    #expect(all.map(\.state) == [.running, .queued, .queued] && all[0].job == first.job)
    let job = try #require(try await books.job(first.job))
    #expect(all[0].until == (job.acceptedAt + .seconds(3_600)).date)
    _ = try await books.bookkeeper.freeKey("deposit", "a")
    try await books.succeed(second)
    let left = try await books.bookkeeper.listKeys(KeyQuery(kind: "deposit")).keys
    #expect(left.map(\.key) == ["b"] && left.map(\.state) == [.succeeded])
  }

  @Test("a key whose window has passed is listed until its job has ended, and a page of free keys is not the last")
  func passed() async throws {
    let books = try await Books()
    let ended = try await books.release(keyed("a", window: .seconds(1)))
    _ = try await books.release(keyed("b", window: .seconds(1)))
    try await books.succeed(ended)
    try books.ledger.write { _ = try $0.statements.run("UPDATE key SET until = 0") }
    let first = try await books.bookkeeper.listKeys(KeyQuery(limit: 1))
    #expect(first.keys.isEmpty && first.next == JobKey(kind: "deposit", key: "a"))
    let second = try await books.bookkeeper.listKeys(KeyQuery(limit: 1, after: first.next))
    #expect(second.keys.map(\.key) == ["b"])
    let last = try await books.bookkeeper.listKeys(KeyQuery(limit: 1, after: second.next))
    #expect(last.keys.isEmpty && last.next == nil)
  }

  @Test("open plans are listed with the steps that have ended, and ended plans only when they are asked for")
  func plans() async throws {
    let books = try await Books()
    let plans = (0..<2).map { _ in
      PlanSubmission(
        id: JobID(), department: "init",
        steps: [PlanStep(name: "a", kind: "step", rank: 1), PlanStep(name: "b", kind: "step", rank: 2)])
    }
    for plan in plans { _ = try await books.bookkeeper.accept([Incoming(.plan(plan))]) }
    try await books.succeed(try #require(try await books.told().assignments.first))
    let open = try await books.bookkeeper.listPlans(PlanQuery()).plans
    #expect(open.map(\.id) == [plans[1].id, plans[0].id], "the newest first")
    #expect(open.map(\.state) == [.held, .held] && open.map(\.steps) == [2, 2] && open.map(\.stepsDone) == [0, 1])
    try await books.succeed(try #require(try await books.told().assignments.first))
    #expect(try await books.bookkeeper.listPlans(PlanQuery(department: "init")).plans.map(\.id) == [plans[1].id])
    let ended = try await books.bookkeeper.listPlans(PlanQuery(includesEnded: true, limit: 1, before: open[0].number))
    #expect(ended.plans.map(\.id) == [plans[0].id] && ended.plans[0].state == .succeeded)
    #expect(ended.plans[0].stepsDone == 2 && ended.plans[0].finished != nil)
    #expect(try await books.bookkeeper.listPlans(PlanQuery(department: "work")).plans.isEmpty)
  }

  private func schedule(_ name: String, _ expression: String, _ missed: MissedRuns = .once) throws -> CronSchedule {
    try #require(
      CronSchedule(
        name: name, expression: try CronExpression(expression), timeZone: .utc, kind: "deposit", missed: missed))
  }

  /// Half a minute before the next full one.
  private let start = HandClock.start + .seconds(30)

  @Test("a schedule has its next firing; its last one and the job of that once it has fired")
  func fired() async throws {
    let books = try await Books(schedules: [schedule("minutely", "* * * * *"), schedule("never", "0 0 30 2 *")])
    try await books.bookkeeper.fireSchedules(at: start)
    let new = try await books.bookkeeper.listSchedules(ScheduleQuery()).schedules
    #expect(new.map(\.name) == ["minutely", "never"] && new.map(\.expression) == ["* * * * *", "0 0 30 2 *"])
    #expect(new[0].last == nil && new[0].lastJob == nil, "it has not fired")
    #expect(new[1].next == nil && new[1].last == nil)
    let next = try #require(new[0].next)
    #expect(Timestamp(next).milliseconds % 60_000 == 0)

    try await books.bookkeeper.fireSchedules(at: start + .seconds(31))
    let moment = start + .seconds(30)
    let fired = try #require(try await books.bookkeeper.listSchedules(ScheduleQuery()).schedules.first)
    #expect(fired.last == moment.date && fired.lastJob == JobID(schedule: "minutely", firedAt: moment))
    #expect(fired.lastState == .queued)
    try await books.succeed(try #require(try await books.told().assignments.first))
    #expect(try await books.bookkeeper.listSchedules(ScheduleQuery()).schedules[0].lastState == .succeeded)
  }

  @Test("a firing that was skipped is the last one, and has no job")
  func skipped() async throws {
    let newYear = Timestamp(milliseconds: 1_767_225_600_000)
    let books = try await Books(schedules: [schedule("yearly", "0 0 1 1 *", .skip)])
    try await books.bookkeeper.fireSchedules(at: newYear - .seconds(1))
    try await books.bookkeeper.fireSchedules(at: newYear + .seconds(3_600))
    let skipped = try #require(try await books.bookkeeper.listSchedules(ScheduleQuery()).schedules.first)
    #expect(skipped.last == newYear.date && skipped.lastJob == nil && skipped.lastState == nil)
  }

  @Test("schedules come by name, a page at a time")
  func pages() async throws {
    let count = ScheduleQuery.limit + 5
    let books = try await Books(schedules: (0..<count).map { try schedule("s-\(1_000 + $0)", "0 3 * * *") })
    let first = try await books.bookkeeper.listSchedules(ScheduleQuery())
    #expect(first.schedules.count == ScheduleQuery.limit && first.next == first.schedules.last?.name)
    let last = try await books.bookkeeper.listSchedules(ScheduleQuery(after: first.next))
    #expect(last.schedules.count == 5 && last.next == nil)
    #expect((first.schedules + last.schedules).map(\.name) == (0..<count).map { "s-\(1_000 + $0)" })
  }
}
