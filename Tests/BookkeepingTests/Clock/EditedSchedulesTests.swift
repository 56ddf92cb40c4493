import Decisions
import JobModel
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// Every edit of a schedule, with each rule for missed firings, over a reload and over a restart. The schedule fires every
/// ten minutes.
@Suite("An edited schedule")
struct EditedSchedulesTests {
  enum Edit: CaseIterable {
    case none, cron, timezone, kind, renamed, removedAndBack, payload, priority, attempts, department, missed

    /// Whether it is another schedule than before, which has missed nothing.
    var isAnother: Bool {
      switch self {
      case .cron, .timezone, .kind, .renamed, .removedAndBack: true
      case .none, .payload, .priority, .attempts, .department, .missed: false
      }
    }
  }

  enum Way: CaseIterable { case reload, restart }

  struct Case: CustomTestStringConvertible {
    var edit: Edit
    var missed: MissedRuns
    var way: Way
    var testDescription: String { "\(edit), missed \(missed.rawValue), \(way)" }
  }

  static let cases = Edit.allCases.flatMap { edit in
    MissedRuns.allCases.flatMap { missed in Way.allCases.map { Case(edit: edit, missed: missed, way: $0) } }
  }

  /// 15 January 2027, 08:00:30 UTC.
  private let start = Timestamp(milliseconds: 1_800_000_030_000)

  private func minutes(_ minutes: Int64) -> Timestamp { start + .seconds(60 * minutes) }

  private func schedule(_ missed: MissedRuns, _ edit: Edit = .none) throws -> CronSchedule {
    var schedule = try #require(
      CronSchedule(
        name: edit == .renamed ? "new-name" : "tick",
        expression: try CronExpression(edit == .cron ? "*/5 * * * *" : "*/10 * * * *"),
        timeZone: edit == .timezone ? try Zone("Asia/Kolkata") : .utc, kind: edit == .kind ? "vault" : "deposit",
        missed: edit == .missed ? missed.another : missed))
    switch edit {
    case .payload: schedule.payload = JSONText("new")
    case .priority: schedule.priority = 9
    case .attempts: schedule.attempts = 7
    case .department: schedule.department = "capped"
    default: break
    }
    return schedule
  }

  private func fire(_ books: Books, at time: Timestamp) async throws -> Int {
    let before = try await books.count()
    try await books.bookkeeper.fireSchedules(at: time)
    return try await books.count() - before
  }

  @Test("begins with its next firing; of the same schedule the missed firings count", arguments: cases)
  func edited(_ example: Case) async throws {
    let (old, new) = (try schedule(example.missed), try schedule(example.missed, example.edit))
    let books = try await Books(schedules: [old])
    #expect(try await fire(books, at: start) == 0)
    #expect(try await fire(books, at: minutes(10)) == 1)
    var later = books
    switch example.way {
    case .reload:
      if example.edit == .removedAndBack {
        try await books.takeOver { $0.schedules = [] }
        #expect(try await fire(books, at: minutes(35)) == 0)
      } else {
        // A coordinator that runs has seen to every firing.
        for firing in [20, 30, 40] { #expect(try await fire(books, at: minutes(Int64(firing))) == 1) }
      }
      try await books.takeOver { $0.schedules = [new] }
      #expect(try await fire(books, at: minutes(45)) == 0, "nothing fires at once")
    case .restart:
      if example.edit == .removedAndBack {
        #expect(try await fire(books.succeeded { $0.schedules = [] }, at: minutes(12)) == 0)
      }
      later = try await books.succeeded { $0.schedules = [new] }
      let missed = [MissedRuns.skip: 0, .once: 1, .all: 3][new.missed]
      #expect(try await fire(later, at: minutes(45)) == (example.edit.isAnother ? 0 : missed))
    }
    #expect(try await fire(later, at: minutes(46)) == 0)
    #expect(try await fire(later, at: minutes(50)) == 1, "the next one")
  }

  @Test("that is edited and edited back begins with its next firing each time")
  func back() async throws {
    let (first, edited) = (try schedule(.all), try schedule(.all, .cron))
    let books = try await Books(schedules: [first])
    #expect(try await fire(books, at: start) == 0)
    try await books.takeOver { $0.schedules = [edited] }
    #expect(try await fire(books, at: minutes(1)) == 0)
    let later = try await books.succeeded { $0.schedules = [first] }
    #expect(try await fire(later, at: minutes(45)) == 0)
    #expect(try await fire(later, at: minutes(50)) == 1)
  }

  @Test("that a standby with an older file takes over begins with its next firing")
  func standby() async throws {
    let older = try schedule(.all)
    let books = try await Books(schedules: [schedule(.all, .cron)])
    #expect(try await fire(books, at: start) == 0)
    let standby = try await books.succeeded { $0.schedules = [older] }
    #expect(try await fire(standby, at: minutes(45)) == 0)
  }
}

extension MissedRuns {
  fileprivate var another: MissedRuns { self == .all ? .skip : .all }
}

extension Books {
  fileprivate func count() async throws -> Int {
    try await ledger.read { try $0.jobs(JobFilter()).jobs.count }
  }
}
