import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("A session that goes on with another configuration")
struct ReconfiguringTests {
  private let worker = WorkerID()

  private func vaults(_ count: Int) -> [Submission] { (0..<count).map { _ in Submission(id: JobID(), kind: "vault") } }

  @Test("a larger cap releases what it has room for, in the same turn; a smaller one waits until it is kept")
  func cap() async throws {
    let books = try await Books()
    try await books.accept(vaults(9))
    var released = try await books.told().assignments
    #expect(released.count == 2)
    try await books.takeOver { $0.departments["capped"]?.cap = 5 }
    released += try await books.told().assignments
    #expect(released.count == 5)
    try await books.takeOver { $0.departments["capped"]?.cap = 3 }
    #expect(await books.bookkeeper.books["capped"]?.cap == 3)
    try await books.succeed(released[0], released[1])
    #expect(try await books.told().assignments.isEmpty)
    try await books.succeed(released[2])
    #expect(try await books.told().assignments.count == 1)
  }

  @Test("a cap counts what a window without one had in its reserves")
  func reserves() async throws {
    let books = try await Books(window: 1)
    // One place, and one in the reserve of each priority.
    let submissions = Priority.all.map { priority in
      var submission = Submission(id: JobID(), kind: "deposit")
      submission.priority = priority
      return submission
    }
    for submission in submissions { try await books.accept(submission) }
    let released = try await books.told().assignments
    #expect(released.count == submissions.count)
    try await books.takeOver { $0.departments["work"] = .init(cap: 5) }
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(released[0], released[1], released[2], released[3], released[4])
    #expect(try await books.told().assignments.isEmpty)
    try await books.succeed(released[5])
    #expect(try await books.told().assignments.count == 1)
  }

  @Test("a department that is removed keeps its jobs and takes no others; when it is back, its jobs go on")
  func removed() async throws {
    let books = try await Books()
    let jobs = vaults(3)
    try await books.accept(jobs)
    let released = try await books.told().assignments
    try await books.takeOver { $0.departments["capped"] = nil }
    try await books.succeed(released[0])
    #expect(try await books.told().assignments.isEmpty)
    let explanation = try #require(try await books.bookkeeper.explain(jobs[2].id))
    #expect(explanation.reasons.map(\.hold).contains(.department), "\(explanation)")
    var late = Submission(id: JobID(), kind: "vault")
    late.reply = .test
    _ = try await books.bookkeeper.accept([Incoming(.job(late))])
    #expect(try await books.told().replies.map(\.failureCode) == [JobFailure.Code.unknownDepartment])
    // What another coordinator would do, too.
    #expect(await books.bookkeeper.memory.differences(from: try await books.freshMemory()).isEmpty)
    try await books.takeOver { $0.departments["capped"] = .init(cap: 2) }
    #expect(try await books.told().assignments.map(\.job) == [jobs[2].id])
  }

  @Test("a release whose message may be missing is published again when its department is back")
  func unpublished() async throws {
    let books = try await Books()
    let released = try await books.release(vaults(1)[0])
    try await books.takeOver { $0.departments["capped"] = nil }
    try await books.beginSession()
    try await books.doChores()
    #expect(try await books.told().assignments.isEmpty)
    try await books.takeOver { $0.departments["capped"] = .init(cap: 2) }
    try await books.doChores()
    let again = try await books.told().assignments
    #expect(again.map(\.release) == [released.release] && again.map(\.mustClaim) == [true])
  }

  @Test("a department that nobody needs any more is forgotten, and a new one is there at once")
  func added() async throws {
    let books = try await Books()
    try await books.takeOver {
      $0.departments["capped"] = nil
      $0.departments["post"] = .init()
    }
    #expect(await Set(books.bookkeeper.books.keys) == ["work", "init", "post"])
    let job = try await books.release(Submission(id: JobID(), kind: "letter", department: "post"))
    #expect(job.department == "post")
  }

  @Test("a department that comes back as an ordered one releases its jobs one by one, in the order of acceptance")
  func backInOrder() async throws {
    let books = try await Books(window: 1)
    let jobs = (0..<4).map { _ in Submission(id: JobID(), kind: "deposit") }
    for job in jobs { try await books.accept(job) }
    var next = try await books.told().assignments
    try await books.takeOver { $0.departments["work"] = nil }
    try await books.takeOver { $0.departments["work"] = .init(isOrdered: true) }
    var order: [JobID] = []
    while !next.isEmpty {
      order += next.map(\.job)
      _ = try await books.bookkeeper.record(next.map { books.report($0, .done) })
      next = try await books.told().assignments
    }
    #expect(order == jobs.map(\.id))
  }

  @Test("a department that is gone and holds many jobs without a place is found; one with few, or with places, is not")
  func crowded() async throws {
    let books = try await Books(window: 1)
    let most = Bookkeeper.orderedAtOnce
    try await books.accept((0..<(most + 20)).map { _ in Submission(id: JobID(), kind: "deposit") })
    try await books.accept(vaults(5))
    try await books.takeOver {
      $0.departments["work"] = nil
      $0.departments["capped"] = nil
    }
    #expect(try await books.bookkeeper.crowded(["work", "capped", "post"]) == ["work"])
    // With places their number does not matter.
    try await books.takeOver { $0.departments["work"] = .init(isOrdered: true) }
    #expect(try await books.bookkeeper.crowded(["work"]).isEmpty)
  }

  @Test("each worker is welcomed again: it learns that its department is gone, and how long its kinds wait")
  func welcomes() async throws {
    let books = try await Books()
    try await books.present(worker, tellers: ["work": 1, "capped": 1], kinds: ["deposit"])
    _ = try await books.told()
    try await books.present(worker, tellers: ["work": 1, "capped": 1], kinds: ["deposit"])
    #expect(try await books.told().welcomes.isEmpty)
    let retry = RetrySettings(first: .seconds(7), jitter: 0)
    try await books.takeOver {
      $0.departments["capped"] = nil
      $0.kinds["deposit"]?.retry = retry
    }
    try await books.present(worker, tellers: ["work": 1, "capped": 1], kinds: ["deposit"])
    let welcome = try #require(try await books.told().welcomes.first)
    #expect(welcome.unknown == ["capped"] && welcome.departments == ["work"])
    #expect(welcome.retries == ["deposit": retry])
  }

  @Test("a kind, a lease and a user's role count from the next message on")
  func settings() async throws {
    let books = try await Books(lease: .seconds(3_600))
    try await books.present(worker)
    try await books.takeOver {
      $0.kinds["deposit"] = .init(department: "work", attempts: 1, timeout: .seconds(9))
      $0.lease = .seconds(5)
    }
    let job = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(job.maxAttempts == 1 && job.timeout == .seconds(9))
    for second in 1...10 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.workers.isEmpty)
    try await books.takeOver { $0.access.users = ["ops": .init(role: .operator)] }
    var foreign = Submission(id: JobID(), kind: "deposit")
    foreign.reply = .test
    _ = try await books.bookkeeper.accept([Incoming(.job(foreign), from: "guest")])
    #expect(try await books.told().replies.map(\.failureCode) == [JobFailure.Code.notAllowed])
  }

  @Test("a schedule that is new fires when its time comes, and one that is gone does not")
  func schedules() async throws {
    let books = try await Books()
    let start = HandClock.start + .seconds(30)
    let schedule = try #require(
      CronSchedule(name: "tick", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "deposit"))
    try await books.takeOver { $0.schedules = [schedule] }
    try await books.bookkeeper.fireSchedules(at: start)
    #expect(try await books.told().assignments.isEmpty)
    try await books.bookkeeper.fireSchedules(at: start + .seconds(31))
    #expect(try await books.told().assignments.count == 1)
    try await books.takeOver { $0.schedules = [] }
    try await books.bookkeeper.fireSchedules(at: start + .seconds(91))
    #expect(try await books.told().assignments.isEmpty)
  }

  @Test("what is kept for a shorter time is removed by it")
  func retention() async throws {
    let books = try await Books()
    let job = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(job)
    try await books.retain()
    #expect(try await books.state(job.job) == .succeeded)
    try await books.takeOver { $0.retention = .everything }
    try await books.retain()
    #expect(try await books.state(job.job) == nil)
  }

  @Test("where that turn cannot be recorded, the memory is read anew by the new configuration")
  func notRecorded() async throws {
    let books = try await Books()
    await #expect(throws: LedgerError.self) {
      try await books.bookkeeper.turn { _ in throw LedgerError.full(path: "a disk") }
    }
    await #expect(throws: LedgerError.self) { try await books.takeOver { $0.departments["post"] = .init() } }
    #expect(await books.bookkeeper.configuration.departments["post"] == nil)
    try await books.restart()
    try await books.takeOver { $0.departments["post"] = .init() }
    #expect(await books.bookkeeper.books["post"]?.isOpen == true)
  }
}

extension Reply.Content {
  fileprivate var failureCode: String? { if case .rejected(let failure) = self { failure.code } else { nil } }
}
