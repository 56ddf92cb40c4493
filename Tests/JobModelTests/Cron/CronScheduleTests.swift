import Foundation
import TestSupport
import Testing

@testable import JobModel

@Suite("Schedules")
struct CronScheduleTests {
  private func schedule(_ cron: String, missed: MissedRuns = .once) throws -> CronSchedule {
    let expression = try CronExpression(cron)
    return try #require(
      CronSchedule(name: "nightly", expression: expression, timeZone: .utc, kind: "report", missed: missed))
  }

  /// That many seconds after midnight, 5 May 2026.
  private func at(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: 1_777_939_200_000 + Int64(seconds * 1_000))
  }

  @Test("a firing in time runs, whatever the rule for missed ones", arguments: MissedRuns.allCases)
  func inTime(missed: MissedRuns) throws {
    let schedule = try schedule("0 3 * * *", missed: missed)
    let three = at(3 * 3_600)
    #expect(schedule.due(since: at(0), at: at(3 * 3_600 - 0.001)) == .init(runs: [], last: at(0)))
    #expect(schedule.due(since: at(0), at: three) == .init(runs: [three], last: three))
    #expect(schedule.due(since: at(0), at: at(3 * 3_600 + 60)) == .init(runs: [three], last: three))
    #expect(schedule.due(since: three, at: at(3 * 3_600 + 60)) == .init(runs: [], last: three))
  }

  @Test(
    "a firing that is more than a minute late is missed",
    arguments: [(MissedRuns.skip, 0), (.once, 1), (.all, 1)])
  func missed(rule: MissedRuns, count: Int) throws {
    let due = try schedule("0 3 * * *", missed: rule).due(since: at(0), at: at(3 * 3_600 + 60.001))
    #expect(due == .init(runs: Array(repeating: at(3 * 3_600), count: count), last: at(3 * 3_600), missed: 1))
  }

  @Test("of several missed ones none, the latest or each is made up for, and the one in time runs beside them")
  func several() throws {
    let (now, hours) = (at(4 * 3_600 + 5), (1...4).map { at(Double($0) * 3_600) })
    let expected: [MissedRuns: [Timestamp]] = [.skip: [hours[3]], .once: [hours[2], hours[3]], .all: hours]
    for (rule, runs) in expected {
      let due = try schedule("@hourly", missed: rule).due(since: at(0), at: now)
      #expect(due == .init(runs: runs, last: hours[3], missed: 3))
    }
  }

  @Test("of a year that was missed, the latest hundred are made up for")
  func bounded() throws {
    let now = at(30)
    let year = now - .seconds(365 * 86_400)
    let due = try schedule("* * * * *", missed: .all).due(since: year, at: now)
    #expect(due.runs == (-100...0).map { at(Double($0) * 60) })
    #expect(due.last == at(0))
    let rare = try schedule("0 0 1 * *", missed: .all).due(since: year, at: now)
    #expect(rare.runs.count == 12)
    #expect(try rare.last == Timestamp("2026-05-01T00:00:00Z"))
  }

  @Test("however long nobody saw to it, the latest firings are found; there are none before 1970")
  func longAgo() throws {
    let due = try schedule("@yearly", missed: .all).due(since: Timestamp(milliseconds: .min), at: at(0))
    #expect(try due.runs == (1971...2026).map { try Timestamp("\($0)-01-01T00:00:00Z") })
    let leapDays = try schedule("0 0 29 2 *", missed: .once).due(since: Timestamp(milliseconds: 0), at: at(0))
    #expect(try leapDays.runs == [Timestamp("2024-02-29T00:00:00Z")])
  }

  @Test("a clock that leaps to the end of all years finds the latest firings", arguments: MissedRuns.allCases)
  func leap(missed: MissedRuns) throws {
    let end = try Timestamp("9999-12-31T23:59:30Z")
    for cron in ["* * * * *", "0 0 29 2 *", "@yearly"] {
      let due = try schedule(cron, missed: missed).due(since: at(0), at: end)
      #expect(due.last > at(0) && due.last <= end)
      #expect(due.runs.count <= CronSchedule.mostMissed + 2)
    }
    let never = try schedule("0 0 30 2 *", missed: missed)
    #expect(never.due(since: at(0), at: end) == .init(runs: [], last: at(0)))
  }

  @Test("what fires when makes a schedule, and an edit of that begins with its next firing; all else goes on")
  func edited() throws {
    let schedule = try schedule("0 3 * * *")
    let mark = ScheduleMark(last: at(0), identity: schedule.identity)
    let edits: [(isAnother: Bool, edit: (inout CronSchedule) throws -> Void)] = [
      (true, { $0.expression = try CronExpression("0 4 * * *") }), (true, { $0.timeZone = try Zone("Europe/Berlin") }),
      (true, { $0.kind = "other" }), (false, { $0.department = "other" }), (false, { $0.payload = JSONText(1) }),
      (false, { $0.priority = 1 }), (false, { $0.attempts = 2 }), (false, { $0.missed = .all }), (false, { _ in }),
    ]
    for (number, edit) in edits.enumerated() {
      var edited = schedule
      try edit.edit(&edited)
      #expect(edited.start(after: mark, at: at(60)) == (edit.isAnother ? at(60) : at(0)), "edit \(number)")
      #expect(edited.start(after: ScheduleMark(last: at(0), identity: nil), at: at(60)) == at(0), "not known")
      #expect(edited.start(after: nil, at: at(60)) == at(60), "new")
    }
  }

  @Test("a clock that is set back repeats nothing")
  func setBack() throws {
    let schedule = try schedule("* * * * *", missed: .all)
    #expect(schedule.due(since: at(600), at: at(300)) == .init(runs: [], last: at(600)))
    #expect(schedule.due(since: at(600), at: at(660)) == .init(runs: [at(660)], last: at(660)))
  }

  @Test("whoever asks often enough runs each firing once, in order")
  func asked() throws {
    var random = SeededRandom(for: "a schedule that is asked again and again")
    for rule in MissedRuns.allCases {
      let schedule = try schedule("*/7,13 * * * *", missed: rule)
      var (last, now, runs) = (at(0), 0.0, [Timestamp]())
      while now < 86_400 {
        now += Double.random(in: 0.001...60, using: &random)
        let due = schedule.due(since: last, at: at(now))
        runs += due.runs
        last = due.last
      }
      let minutes = (1...Int(now / 60)).filter { ($0 % 60).isMultiple(of: 7) || $0 % 60 == 13 }
      #expect(runs == minutes.map { at(Double($0) * 60) })
    }
  }

  @Test("one firing has one id, in every process and for ever; another time or schedule has another")
  func ids() throws {
    let schedule = try schedule("@daily")
    #expect(schedule.jobID(firedAt: at(0)) == JobID(schedule: "nightly", firedAt: at(0)))
    // Written down: an id that changes with a new version of Teller would fire what is under way a second time.
    #expect(schedule.jobID(firedAt: at(0)).description == "c869997d-0324-53db-8752-a7c40475e4f7")
    #expect(schedule.jobID(firedAt: at(0)) != schedule.jobID(firedAt: at(60)))
    #expect(JobID(schedule: "a", firedAt: at(0)) != JobID(schedule: "b", firedAt: at(0)))
  }

  @Test("a schedule's name is formed as a department's is")
  func name() throws {
    let expression = try CronExpression("@daily")
    #expect(CronSchedule(name: "a b", expression: expression, timeZone: .utc, kind: "k") == nil)
    #expect(CronSchedule(name: "a-b", expression: expression, timeZone: .utc, kind: "k") != nil)
  }
}
