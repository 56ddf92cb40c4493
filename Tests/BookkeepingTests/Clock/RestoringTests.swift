import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A ledger that was put back to an older copy: what was due since then may have run.
@Suite("A restored ledger, in the books")
struct RestoringTests {
  /// How long after the backup the ledger is restored.
  private static let gap: Duration = .seconds(7_200)

  /// The ledger turns out to be older than the stream, so long after what it knows. Returns the moment, by its time.
  private func restore(_ books: Books) async throws -> Timestamp {
    let moment = await books.bookkeeper.now + Self.gap
    let ahead = NotificationPosition(epoch: await books.bookkeeper.epoch, seq: 1_000_000)
    #expect(try await books.bookkeeper.compare(withStreamAt: ahead, at: moment))
    return moment
  }

  private func look(_ books: Books, at time: Timestamp) async throws {
    var turns = 0
    while try await books.bookkeeper.lookAtClock(time), turns < 100 { turns += 1 }
  }

  /// A command about the jobs that are held, and all that follows from it.
  private func decide(
    _ action: OperationRecord.Action, _ books: Books, _ selection: JobSelection = JobSelection(), at time: Timestamp
  ) async throws -> OperationRecord? {
    let operation = try #require(try await books.bookkeeper.begin(action, selection))
    try await books.doChores()
    try await look(books, at: time)
    return try await books.ledger.read { try $0.operation(operation.id) }
  }

  private func restored(_ books: Books) async -> Int {
    await books.bookkeeper.memory.desks.values.reduce(0) { $0 + $1.restored }
  }

  private func submission(_ start: SubmittedTime?, startBy: SubmittedTime? = nil) -> Submission {
    Submission(id: JobID(), kind: "deposit", runAt: start, startBy: startBy)
  }

  /// Two that were to wait until the backup was over, and two until the restore is over.
  private func delayed(_ books: Books) async throws -> (past: [JobID], future: [JobID]) {
    let (past, future) = (Duration.seconds(3_600), Duration.seconds(10_800))
    let wall = await books.bookkeeper.ledgerClock.wallTime(of: books.bookkeeper.now)
    let submissions = [past, future].flatMap { [submission(.within($0)), submission(.at(wall + $0))] }
    try await books.accept(submissions)
    let ids = submissions.map(\.id)
    return (past: Array(ids.prefix(2)), future: Array(ids.suffix(2)))
  }

  @Test("holds what may have run, and nothing else, until an operator decides, also over a restart")
  func holds() async throws {
    let books = try await Books()
    let retried = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.fail(retried)
    let (past, future) = try await delayed(books)
    let ready = try await books.release(submission(nil))
    let moment = try await restore(books)
    try await look(books, at: moment)
    #expect(try await books.told().assignments.isEmpty)
    #expect(await restored(books) == 3)
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
    for id in past + [retried.job] {
      let reason = try #require(try await books.bookkeeper.explain(id)?.reasons.first)
      #expect(reason.hold == .restored && reason.endsAt == nil && reason.lifts?.contains("teller restore drop") == true)
    }
    #expect(try await books.bookkeeper.explain(ready.job)?.reasons.first?.hold != .restored)
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero).departments
    #expect(status.first { $0.department == "work" }?.restored == 3)
    let waiting = status.first { $0.department == "work" }.map { $0.delayed + $0.retrying }
    #expect(waiting == 5, "they are among those that wait for a time")
    let later = try await books.succeeded()
    try await look(later, at: moment + .seconds(3_000))
    #expect(try await later.told().assignments.map(\.job).allSatisfy { $0 == ready.job })
    #expect(await restored(later) == 3)
    try await look(later, at: moment + .seconds(7_200))
    #expect(Set(try await later.told().assignments.map(\.job)).subtracting([ready.job]) == Set(future))
  }

  @Test("releases what is accepted, by department and kind, or all of it")
  func accepts() async throws {
    let books = try await Books()
    let loan = Submission(id: JobID(), kind: "loan", runAt: .within(.seconds(60)))
    let vault = Submission(id: JobID(), kind: "vault", runAt: .within(.seconds(60)))
    try await books.accept(loan, vault)
    let past = try await delayed(books).past
    let moment = try await restore(books)
    try await look(books, at: moment)
    let counted = try await books.bookkeeper.count(.acceptRestored, department: "work", kind: "loan")
    #expect(counted.jobs == 1)
    #expect(try await books.bookkeeper.count(.dropRestored, department: nil, kind: nil).jobs == 4)
    let first = try await decide(.acceptRestored, books, JobSelection(kind: "loan"), at: moment)
    #expect(first?.changed == 1 && first?.finishedAt != nil)
    #expect(try await books.told().assignments.map(\.job) == [loan.id])
    let second = try await decide(.acceptRestored, books, JobSelection(department: "capped"), at: moment)
    #expect(second?.changed == 1)
    #expect(try await books.told().assignments.map(\.job) == [vault.id])
    #expect(try await decide(.acceptRestored, books, at: moment)?.changed == 2)
    #expect(Set(try await books.told().assignments.map(\.job)) == Set(past))
    #expect(await restored(books) == 0)
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
    #expect(try await decide(.acceptRestored, books, at: moment)?.changed == 0)
  }

  @Test("cancels what is dropped, and leaves the rest")
  func drops() async throws {
    let books = try await Books()
    let (past, future) = try await delayed(books)
    let moment = try await restore(books)
    try await look(books, at: moment)
    #expect(try await decide(.dropRestored, books, at: moment)?.changed == 2)
    for id in past {
      #expect(try await books.state(id) == .cancelled)
      let failure = try await books.job(id)?.outcome?.failure
      #expect(failure?.message == "it was cancelled by an operator, who dropped it after a restore")
    }
    for id in future { #expect(try await books.state(id) == .held) }
    #expect(try await books.told().assignments.isEmpty)
    #expect(await restored(books) == 0)
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
  }

  @Test("a cancel and a reset end what is held, too", arguments: [OperationRecord.Action.cancel, .reset])
  func cancels(action: OperationRecord.Action) async throws {
    let books = try await Books()
    let past = try await delayed(books).past
    let moment = try await restore(books)
    try await look(books, at: moment)
    _ = try await books.cancel(past[0])
    #expect(await restored(books) == 1)
    _ = try await decide(action, books, at: moment)
    #expect(await restored(books) == 0)
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
  }

  @Test("more jobs than one turn holds are all held, though the coordinator ends in between; and all are accepted")
  func many() async throws {
    let books = try await Books(window: 2_000)
    let count = Restoring.limit * 2 + 10
    try await books.accept((0..<count).map { _ in submission(.within(.seconds(60))) })
    let moment = try await restore(books)
    #expect(try await books.bookkeeper.lookAtClock(moment), "there is more to do at once")
    #expect(await restored(books) == Restoring.limit)
    let later = try await books.succeeded()
    #expect(await restored(later) == Restoring.limit)
    try await look(later, at: moment)
    #expect(await restored(later) == count)
    #expect(try await later.told().assignments.isEmpty)
    #expect(try await decide(.acceptRestored, later, at: moment)?.changed == count)
    #expect(await restored(later) == 0)
  }

  @Test("with after_restore: run, what was due runs at once")
  func runs() async throws {
    let books = try await Books()
    try await books.takeOver { $0.afterRestore = .run }
    let past = try await delayed(books).past
    let moment = try await restore(books)
    try await look(books, at: moment)
    #expect(Set(try await books.told().assignments.map(\.job)) == Set(past))
    #expect(await restored(books) == 0)
  }

  @Test("a job is not too late while it is held; one whose latest start has passed fails when it is accepted")
  func latestStart() async throws {
    let books = try await Books()
    let wall = await books.bookkeeper.ledgerClock.wallTime(of: books.bookkeeper.now)
    let hour = Duration.seconds(3_600)
    let starts = [SubmittedTime.within(hour), .at(wall + hour)]
    let late = starts.map { submission($0, startBy: .within(.seconds(60))) }
    let inTime = starts.map { submission($0, startBy: .within(hour * 5)) }
    try await books.accept(late + inTime)
    let moment = try await restore(books)
    try await look(books, at: moment)
    for job in late + inTime { #expect(try await books.state(job.id) == .held) }
    let lifts = try await books.bookkeeper.explain(late[0].id)?.reasons.first?.lifts
    #expect(lifts?.contains("releases it") == true)
    _ = try await decide(.acceptRestored, books, at: moment)
    for job in late { #expect(try await books.failure(job.id) == "too_late") }
    #expect(Set(try await books.told().assignments.map(\.job)) == Set(inTime.map(\.id)))
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
  }

  @Test("a held job that waits for another one waits for both")
  func dependent() async throws {
    let books = try await Books()
    let first = try await books.release(submission(nil))
    let job = Submission(
      id: JobID(), kind: "deposit", runAt: .within(.seconds(60)), after: Dependencies(jobs: [first.job]))
    try await books.accept(job)
    let moment = try await restore(books)
    try await look(books, at: moment)
    try await books.succeed(first)
    try await books.doChores()
    #expect(await restored(books) == 1)
    #expect(try await books.told().assignments.isEmpty)
    _ = try await decide(.acceptRestored, books, at: moment)
    #expect(try await books.told().assignments.map(\.job) == [job.id])
  }

  // MARK: - Schedules

  private func schedule(_ missed: MissedRuns) throws -> CronSchedule {
    try #require(
      CronSchedule(
        name: "tick", expression: try CronExpression("*/30 * * * *"), timeZone: .utc, kind: "deposit", missed: missed))
  }

  /// The firings of every half an hour of the two hours before a moment, by the wall clock.
  private func firings(_ books: Books, before moment: Timestamp) async -> [JobID] {
    let clock = await books.bookkeeper.ledgerClock
    let (half, end) = (Int64(1_800_000), clock.wallTime(of: moment).milliseconds)
    let start = end - Self.gap.milliseconds
    return (start / half + 1...end / half).map {
      JobID(schedule: "tick", firedAt: Timestamp(milliseconds: $0 * half))
    }
  }

  @Test("the firings since the backup are held, as many as missed: makes up for", arguments: MissedRuns.allCases)
  func schedules(missed: MissedRuns) async throws {
    let books = try await Books(schedules: [schedule(missed)])
    let clock = await books.bookkeeper.ledgerClock
    try await books.bookkeeper.fireSchedules(at: clock.wallTime(of: books.bookkeeper.now))
    let moment = try await restore(books)
    let fired = await firings(books, before: moment)
    try await look(books, at: moment)
    #expect(try await books.told().assignments.isEmpty)
    // One that was due within the last minute is held, whatever the rule.
    let isInTime = clock.wallTime(of: moment).milliseconds % 1_800_000 <= CronSchedule.grace.milliseconds
    let expected =
      switch missed {
      case .skip: isInTime ? 1 : 0
      case .once: isInTime ? 2 : 1
      case .all: fired.count
      }
    #expect(await restored(books) == expected)
    #expect(await books.bookkeeper.memory.desks == (try await books.freshMemory()).desks)
    for id in fired.suffix(expected) {
      #expect(try await books.bookkeeper.explain(id)?.reasons.first?.hold == .restored)
    }
    // Later firings are made, and not held.
    let half = Int64(1_800_000)
    let next = moment + .milliseconds(half - clock.wallTime(of: moment).milliseconds % half)
    try await look(books, at: next)
    #expect(try await books.told().assignments.count == 1)
    #expect(await restored(books) == expected)
    #expect(try await decide(.acceptRestored, books, at: next)?.changed == expected)
    #expect(Set(try await books.told().assignments.map(\.job)) == Set(fired.suffix(expected)))
  }

  @Test("a schedule that was edited since the backup begins with its next firing, and nothing is held")
  func edited() async throws {
    let books = try await Books(schedules: [schedule(.all)])
    let clock = await books.bookkeeper.ledgerClock
    try await books.bookkeeper.fireSchedules(at: clock.wallTime(of: books.bookkeeper.now))
    var other = try schedule(.all)
    other.kind = "loan"
    let schedules = [other]
    let later = try await books.succeeded { $0.schedules = schedules }
    let moment = try await restore(later)
    try await look(later, at: moment)
    #expect(await restored(later) == 0)
    #expect(try await later.told().assignments.isEmpty)
  }
}
