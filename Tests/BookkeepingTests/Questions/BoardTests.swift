import Decisions
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("The board")
struct BoardTests {
  private func board(_ books: Books, _ departments: Department..., limit: Int = 50) async throws -> Board {
    try await books.bookkeeper.showBoard(
      BoardQuery(departments: departments, limit: limit), broker: .connected, at: books.clock.monotonic)
  }

  private func department(_ name: Department, _ board: Board) throws -> DepartmentBoard {
    try #require(board.departments.first { $0.status.department == name })
  }

  @Test("has every department with its numbers, and rows only of those that were asked for")
  func departments() async throws {
    let books = try await Books()
    try await books.accept(Submission(id: JobID(), kind: "deposit"), Submission(id: JobID(), kind: "vault"))
    let board = try await board(books, "work")
    #expect(board.departments.map(\.status.department) == ["capped", "init", "work"])
    let (work, capped) = (try department("work", board), try department("capped", board))
    #expect(work.waiting.count == 1 && capped.waiting.isEmpty && capped.status.queued == 1)
    #expect(board.broker.state == .connected && board.epoch == 1 && board.ledger == books.ledger.id)
  }

  @Test("has the waiting jobs in the order in which they are served, beyond the window, too")
  func order() async throws {
    let books = try await Books(window: 2)
    let priorities: [Int] = [1, 3, 9, 3, 7, 3]
    let jobs = priorities.map { level in
      Submission(id: JobID(), kind: "deposit", priority: Priority(level) ?? .normal)
    }
    for job in jobs { try await books.accept(job) }
    let rows = try await department("work", board(books, "work")).waiting
    #expect(Set(rows.map(\.id)) == Set(jobs.map(\.id)), "each job stands there once")
    #expect(rows.map(\.priority.level) == [9, 7, 3, 3, 3, 1])
    #expect(rows.contains { !$0.isReleased } && rows.allSatisfy { $0.isReleased || $0.hold == .window })
    let few = try await department("work", board(books, "work", limit: 3)).waiting
    #expect(few == Array(rows.prefix(3)))

    var served: [JobID] = []
    while let next = try await department("work", board(books, "work")).waiting.first {
      served.append(next.id)
      _ = try await books.cancel(next.id)
    }
    #expect(served == rows.map(\.id))
  }

  @Test("an ordered department's jobs stand by rank, delayed or not")
  func ordered() async throws {
    let books = try await Books()
    let jobs = [3, 1, 2].map { Submission(id: JobID(), kind: "step", rank: $0) }
    for job in jobs { try await books.accept(job) }
    let rows = try await department("init", board(books, "init")).waiting
    #expect(rows.count == 3 && rows.allSatisfy { $0.rank != nil })
    let held = rows.filter { !$0.isReleased }
    #expect(held.compactMap(\.rank) == held.compactMap(\.rank).sorted())
  }

  @Test(
    "a running job is in the other list, with its worker; the busy time begins with the first job and ends with the last"
  )
  func running() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker, tellers: ["work": 2])
    #expect(try await department("work", board(books)).busySince == nil)
    let first = try await books.release(
      Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: "a")))
    let job = first.job
    try await books.present(
      worker, tellers: ["work": 2], running: [RunningRelease(release: first.release, token: first.token)])
    let now = try await department("work", board(books, "work"))
    #expect(now.waiting.isEmpty && now.running.map(\.id) == [job] && now.running.first?.worker == worker)
    #expect(now.running.first?.key == "a" && now.running.first?.started != nil && now.running.first?.workerName != nil)
    let since = try #require(now.busySince)

    _ = try await books.cancel(job)
    let after = try await department("work", board(books, "work"))
    #expect(after.running.isEmpty && after.busySince == nil && after.lastBusy?.start == since)
  }

  @Test("jobs that are held until a time, or until others have ended, are no work to be done now")
  func idle() async throws {
    let books = try await Books()
    let delayed = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(600)))
    try await books.accept(delayed, Submission(id: JobID(), kind: "deposit", after: Dependencies(jobs: [delayed.id])))
    let work = try await department("work", board(books, "work"))
    #expect(work.busySince == nil && work.waiting.isEmpty && work.status.held == 2)
  }

  @Test("says which was the last event before it")
  func through() async throws {
    let books = try await Books()
    #expect(try await board(books).through == 0)
    let job = Submission(id: JobID(), kind: "deposit")
    try await books.accept(job)
    _ = try await books.cancel(job.id)
    let after = try await board(books)
    #expect(after.through == 1 && after.counted == 1)
    #expect(try await books.bookkeeper.reportTotals(ReportQuery(since: nil)).through == 1)
  }

  @Test("the numbers have each event up to the one that is said, and none behind it, while jobs end all the time")
  func counted() async throws {
    let books = try await Books()
    let jobs = (0..<60).map { _ in Submission(id: JobID(), kind: "deposit") }
    for job in jobs { try await books.accept(job) }
    async let ending: Void = { for job in jobs { _ = try await books.cancel(job.id) } }()
    var seen: [Board] = []
    repeat { seen.append(try await board(books, "work")) } while (seen.last?.counted ?? 0) < 60
    try await ending
    for board in seen {
      let status = try department("work", board).status
      #expect(Int64(status.cancelled) == board.counted && status.held + status.queued + status.cancelled == 60)
      #expect(board.through <= board.counted)
    }
  }

  @Test("a reset is among what goes on until it has ended, and then the last one that is over")
  func resets() async throws {
    let books = try await Books()
    _ = try await books.fillWork(2)
    #expect(try await board(books).lastReset == nil)
    let reset = try #require(try await books.bookkeeper.begin(.reset, JobSelection()))
    #expect(try await board(books).operations.map(\.id) == [reset.id])
    try await books.doChores()
    let after = try await board(books)
    #expect(after.operations.isEmpty && after.lastReset?.id == reset.id && after.lastReset?.finished != nil)
  }

  @Test("the report says how long the jobs of a department waited and ran, and all of them together")
  func report() async throws {
    let books = try await Books()
    try await books.present(WorkerID(), tellers: ["work": 2])
    for _ in 0..<3 { try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit"))) }
    let line = try #require(try await books.bookkeeper.reportTotals(ReportQuery(since: nil)).lines.first)
    let ran = try #require(line.ran)
    #expect(line.department == "work" && line.succeeded == 3)
    #expect(ran.median == .milliseconds(10) && ran.longest == .milliseconds(10) && ran.sum == .milliseconds(30))
  }

  @Test("the forecast is silent with its reason, and speaks when thirty jobs have run")
  func forecast() async throws {
    let books = try await Books()
    #expect(try await department("work", board(books)).forecast.course == .idle)
    let first = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await department("work", board(books)).forecast.reason == .noTellers)
    try await books.present(WorkerID(), tellers: ["work": 2])
    #expect(try await department("work", board(books)).forecast.reason == .fewSamples)
    try await books.succeed(first)
    for _ in 0..<29 {
      books.clock.pass(.milliseconds(20))
      try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit")))
    }
    let forecast = try await department("work", board(books)).forecast
    #expect(forecast.samples == 30 && forecast.reason == nil && forecast.course == .steady)
    #expect(forecast.capacityPerHour == 2 * 100 * 3_600, "each of them ran for 10 ms")
    _ = try await books.bookkeeper.setPaused("work", true)
    #expect(try await department("work", board(books)).forecast.reason == .closed)
  }

  @Test("the busy time goes on when another coordinator takes over, and one that is over is not taken up")
  func takeOver() async throws {
    let books = try await Books()
    let job = try await books.release(Submission(id: JobID(), kind: "deposit")).job
    let since = try #require(try await department("work", board(books)).busySince)
    let minute = Timestamp(since) - .seconds(60)
    try books.ledger.write { try $0.setBusy("work", since: minute) }
    let next = try await books.succeeded()
    #expect(try await department("work", board(next)).busySince == minute.date)
    await next.bookkeeper.lookAtFlows(at: next.clock.monotonic)
    #expect(try await department("work", board(next)).busySince == minute.date)
    _ = try await next.cancel(job)
    #expect(try await department("work", board(next)).busySince == nil)
    try await next.bookkeeper.recordMarks()
    #expect(try next.ledger.write { try $0.busyTimes() }.isEmpty)
  }
}
