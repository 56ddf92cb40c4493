import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("A clock that is set, in the books")
struct ClockBooksTests {
  static let steps: [Duration] = [.seconds(120), .seconds(-120), .seconds(86_400), .seconds(-86_400)]

  /// The wall clock is set; nothing else is.
  private func set(_ books: Books, by size: Duration) async throws {
    books.clock.set(by: size)
    try await books.bookkeeper.watchClock()
  }

  private func released(_ books: Books, after time: Duration) async throws -> [JobID] {
    try await books.lookAtClock(after: time)
    return try await books.told().assignments.map(\.job)
  }

  @Test("a delay and a back-off are as long as they were, however the clock is set", arguments: steps)
  func spans(size: Duration) async throws {
    let books = try await Books()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.fail(loan)
    let delayed = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(590)))
    try await books.accept(delayed)
    try await set(books, by: size)
    #expect(try await released(books, after: .seconds(589)).isEmpty)
    #expect(Set(try await released(books, after: .seconds(600))) == [delayed.id, loan.job])
  }

  /// Found by the simulator: the time was recorded only after half a second.
  @Test(
    "nothing changes that when the first coordinator dies at once, and the clock is set meanwhile", arguments: steps)
  func firstMoment(size: Duration) async throws {
    let books = try await Books()
    let delayed = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(590)))
    try await books.accept(delayed)
    books.clock.set(by: size)
    let next = try await books.succeeded()
    #expect(try await released(next, after: .seconds(589)).isEmpty)
    #expect(try await released(next, after: .seconds(600)) == [delayed.id])
  }

  @Test("a job that waits for a moment of the clock runs when the clock says so", arguments: [7_200, -7_200])
  func moment(seconds: Int64) async throws {
    let books = try await Books()
    let job = Submission(id: JobID(), kind: "deposit", runAt: .at(books.now + .seconds(36_000)))
    try await books.accept(job)
    try await set(books, by: .seconds(seconds))
    #expect(try await released(books, after: .seconds(36_000 - seconds - 1)).isEmpty)
    #expect(try await released(books, after: .seconds(36_000 - seconds)) == [job.id])
  }

  /// Ten hours from now, and ten minutes to begin, said as a span and as a moment.
  private static let hours: Duration = .seconds(36_000)
  private static let room: Duration = .seconds(600)

  private func limited(_ moment: Timestamp) -> [Submission] {
    [SubmittedTime.within(Self.room), .at(moment + Self.room)].map {
      Submission(id: JobID(), kind: "deposit", runAt: .at(moment), startBy: $0)
    }
  }

  /// None may begin before it is too late: they do when the clock has come to their moment, and have their time then.
  private func expectTime(of jobs: [Submission], in books: Books, due: Duration) async throws {
    if due > .zero {
      _ = try await released(books, after: due - .seconds(60))
      #expect(await books.bookkeeper.memory.desks["work"]?.delayed == jobs.count)
    }
    for time in [due, due + .seconds(540)] {
      _ = try await released(books, after: time + .seconds(10))
      for job in jobs { #expect(try await books.state(job.id) == .held) }
      #expect(await books.bookkeeper.memory.desks["work"]?.delayed == 0)
    }
    _ = try await released(books, after: due + .seconds(610))
    for job in jobs { #expect(try await books.failure(job.id) == "too_late") }
  }

  @Test(
    "a job that waits for a moment of the clock has its time to begin from then on, however the clock is set",
    arguments: steps)
  func momentAndLimit(size: Duration) async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let moment = books.now + Self.hours
    let jobs = limited(moment)
    try await books.accept(jobs)
    try await set(books, by: size)
    for job in jobs { #expect(try await books.bookkeeper.showJob(job.id)?.latestStart == moment + Self.room) }
    try await expectTime(of: jobs, in: books, due: max(.zero, Self.hours - size))
  }

  @Test("so it has when the clock was set while no coordinator was there")
  func momentAndLimitRestarted() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    try await set(books, by: .seconds(-7_200))
    let jobs = limited(books.now + .seconds(1_800))
    try await books.accept(jobs)
    books.clock.set(by: .seconds(7_200))
    try await expectTime(of: jobs, in: try await books.succeeded(), due: .zero)
  }

  @Test("a job that must begin before the moment that it waits for fails at once")
  func limitBeforeMoment() async throws {
    let books = try await Books()
    let moment = books.now + Self.hours
    let job = Submission(id: JobID(), kind: "deposit", runAt: .at(moment), startBy: .at(moment - .seconds(1)))
    try await books.accept(job)
    #expect(try await books.failure(job.id) == "too_late")
    #expect(await books.bookkeeper.memory == (try await books.freshMemory()))
  }

  @Test("a clock that is corrected by many small steps makes nobody wait for longer")
  func smallSteps() async throws {
    let books = try await Books()
    let job = Submission(id: JobID(), kind: "deposit", runAt: .at(books.now + .seconds(3_600)))
    try await books.accept(job)
    for _ in 1...40 { try await set(books, by: .milliseconds(1_500)) }
    #expect(try await released(books, after: .seconds(3_600 - 55)) == [job.id])
  }

  @Test("nothing comes too late because the clock was set, however its limit was said", arguments: steps)
  func limits(size: Duration) async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let jobs = [SubmittedTime.within(.seconds(600)), .at(books.now + .seconds(600))].map {
      Submission(id: JobID(), kind: "deposit", startBy: $0)
    }
    try await books.accept(jobs)
    try await set(books, by: size)
    _ = try await released(books, after: .seconds(599))
    for job in jobs { #expect(try await books.state(job.id) == .held) }
    _ = try await released(books, after: .seconds(600))
    for job in jobs { #expect(try await books.failure(job.id) == "too_late") }
  }

  @Test("a key stays taken and history stays, however the clock is set", arguments: steps)
  func kept(size: Duration) async throws {
    let books = try await Books(retention: .init(time: .seconds(3_600)))
    let key = SubmissionKey(text: "invoice 7", window: .seconds(3_600))
    let first = try await books.release(Submission(id: JobID(), kind: "deposit", key: key))
    try await books.succeed(first)
    try await set(books, by: size)
    try await books.retain()
    #expect(try await books.state(first.job) == .succeeded)
    try await books.accept(Submission(id: JobID(), kind: "deposit", key: key, reply: .other))
    #expect(try await books.told().replies(to: .other).first == .duplicate)
  }

  /// The next coordinator of that ledger, as if the machine had been started anew since the ledger's clock stood at that
  /// time, which was later than the wall clock by `lead`.
  private func restarted(_ books: Books, from time: Timestamp, lead: Duration = .zero) async throws -> Books {
    let uptime = Uptime(boot: "another start", age: .seconds(1))
    try books.ledger.write { try $0.saveClock(.init(time: time, lead: lead, uptime: uptime)) }
    return try await books.succeeded()
  }

  @Test("a machine that starts with its clock a day ahead removes neither key nor history, until it has proved right")
  func startedAhead() async throws {
    let books = try await Books(retention: .init(time: .seconds(3_600)))
    let key = SubmissionKey(text: "invoice 7", window: .seconds(3_600))
    let first = try await books.release(Submission(id: JobID(), kind: "deposit", key: key))
    try await books.succeed(first)
    let ahead = try await restarted(books, from: books.now, lead: .seconds(86_400))
    #expect(await ahead.bookkeeper.now > books.now + .seconds(86_000))
    try await ahead.retain()
    #expect(try await ahead.state(first.job) == .succeeded)
    try await ahead.accept(Submission(id: JobID(), kind: "deposit", key: key, reply: .other))
    #expect(try await ahead.told().replies(to: .other).first == .duplicate)
    let right = try await restarted(books, from: books.now + .seconds(86_400), lead: .seconds(86_400))
    try await right.retain()
    #expect(try await right.job(first.job) == nil)
  }

  @Test("a ledger whose time is ahead of the clock goes on from its own time")
  func ledgerAhead() async throws {
    let before = try await Books()
    let books = try await restarted(before, from: before.now + .seconds(86_400))
    #expect(await books.bookkeeper.now == books.now + .seconds(86_400))
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.fail(loan)
    let moment = Submission(id: JobID(), kind: "deposit", runAt: .at(books.now + .seconds(590)))
    try await books.accept(moment)
    #expect(try await released(books, after: .seconds(589)).isEmpty)
    #expect(Set(try await released(books, after: .seconds(600))) == [loan.job, moment.id])
  }

  @Test(
    "a coordinator begins with whatever the ledger says of its clock",
    arguments: [Int64.min, 0, .max], [Int64.min, 0, .max])
  func damaged(time: Int64, lead: Int64) async throws {
    let books = try await Books()
    for end in [nil, Int64.min, .max] {
      let record = LedgerClock.Record(
        time: Timestamp(milliseconds: time), lead: .milliseconds(lead), trialEnd: end.map(Timestamp.init))
      try books.ledger.write { try $0.saveClock(record) }
      let next = try await books.succeeded()
      try await next.bookkeeper.watchClock()
      try await next.bookkeeper.lookAtClock(await next.bookkeeper.now)
    }
  }

  @Test("people are told the times of the present clock", arguments: steps)
  func shown(size: Duration) async throws {
    let books = try await Books()
    let job = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(600)))
    try await books.accept(job)
    try await set(books, by: size)
    let document = try #require(try await books.bookkeeper.showJob(job.id))
    #expect(document.acceptedAt == books.now)
    let due = try #require(document.notBefore)
    #expect(due == books.now + .seconds(600))
    let reason = try #require(try await books.bookkeeper.explain(job.id)?.reasons.first)
    #expect(reason.endsAt == due)
  }
}
