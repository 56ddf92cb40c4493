import Decisions
import JobModel
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("Waiting, retrying, delayed and failed jobs")
struct FourNumbersTests {
  private static let rounds = SeededRandom.length(3, long: 20)

  private func status(of department: Department, _ books: Books) async throws -> DepartmentStatus {
    let status = try await books.bookkeeper.status(broker: .connected, at: books.clock.monotonic)
    return try #require(status.departments.first { $0.department == department })
  }

  /// What the list of all jobs says: each job stands there by itself.
  fileprivate struct Listed {
    var waiting = 0
    var retrying = 0
    var later = 0
    var running = 0
    var unsettled = 0
  }

  private func listed(_ books: Books) async throws -> [Department: Listed] {
    var (listed, before): ([Department: Listed], Int64?) = ([:], nil)
    repeat {
      let page = try await books.bookkeeper.listJobs(JobQuery(limit: 1_000, before: before))
      for job in page.jobs { listed[job.department, default: Listed()].add(job) }
      before = page.next
    } while before != nil
    return listed
  }

  @Test("each unfinished job that does not run is in one of the first three, as the list of jobs has it")
  func sums() async throws {
    var random = SeededRandom(for: "four numbers")
    for _ in 0..<FourNumbersTests.rounds {
      let seed = random.next()
      var state = try await RandomBooks(seed: seed)
      for step in 0..<240 {
        let done = try await state.step()
        guard step.isMultiple(of: 12) else { continue }
        let all = try await listed(state.books)
        for status in try await state.books.bookkeeper.status(broker: .connected, at: state.now).departments {
          let jobs = all[status.department] ?? Listed()
          let place: Comment = "\(status.department) after \(done), seed \(seed): \(status), \(jobs)"
          try #require(
            status.waiting + status.retrying + status.delayed + status.dependent == status.held + status.queued)
          try #require(status.waiting == jobs.waiting && status.retrying == jobs.retrying, place)
          try #require(status.delayed + status.dependent == jobs.later && status.running == jobs.running, place)
          try #require(status.unsettled == jobs.unsettled && status.unsettled <= status.failed, place)
        }
      }
    }
  }

  @Test("jobs whose attempts fail are retrying, with the next time and the error of most of them")
  func retrying() async throws {
    let books = try await Books()
    for error in ["refused", "refused", "late"] {
      let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
      let failure = JobFailure(code: error, message: "\(error) by the other side")
      try await books.record(books.report(assignment, .failed(failure, isPermanent: false)))
    }
    try await books.accept(Submission(id: JobID(), kind: "loan", runAt: .within(.seconds(5))))
    let work = try await status(of: "work", books)
    #expect(work.retrying == 3 && work.delayed == 1 && work.waiting == 0 && work.unsettled == 0)
    let next = try #require(work.nextRetry)
    #expect(next.error == JobFailure(code: "refused", message: "refused by the other side"))
    let due = try #require(await books.bookkeeper.nextDue)
    #expect(next.time > due.date, "the job that is scheduled comes first, and is no retry")
    #expect(try await status(of: "work", try await books.succeeded()).retrying == 3, "also for the next coordinator")
  }

  @Test("a failed job is to be looked after until it is replayed, dropped or removed")
  func unsettled() async throws {
    let books = try await Books()
    var jobs: [JobID] = []
    for _ in 0..<3 {
      let assignment = try await books.release(Submission(id: JobID(), kind: "loan"))
      try await books.fail(assignment, isPermanent: true)
      jobs.append(assignment.job)
    }
    #expect(try await status(of: "work", books).unsettled == 3)
    _ = try await books.bookkeeper.drop([jobs[0], jobs[0]])
    #expect(try await status(of: "work", books).unsettled == 2)
    _ = try await books.bookkeeper.replay([jobs[1]])
    let work = try await status(of: "work", books)
    #expect(work.unsettled == 1 && work.failed == 3)
  }

  @Test("an optional step that failed, and one whose plan went back, is not to be looked after")
  func handled() async throws {
    let login = PlanStep("login", 4, reentry: Reentry(on: "expired", from: "three"))
    let plan = try await PlanBooks([
      PlanStep("one", 1), PlanStep("two", 2, isRequired: false), PlanStep("three", 3), login,
    ])
    let run = try await plan.start()
    let steps = try await plan.run(failing: ["two": "broken", "login": "expired"])
    #expect(steps == ["one", "two", "three", "login", "three", "login"], "the plan goes back once")
    let status = try await status(of: "init", plan.books)
    #expect(status.failed == 3 && status.unsettled == 1, "the plan was not ready for the last failure")
    let failed = try await plan.books.bookkeeper.listJobs(JobQuery(state: .failed)).jobs
    let handled = ["two", "login"].map { JobID(plan: run, step: $0) }
    #expect(Set(failed.filter(\.isHandled).map(\.id)) == Set(handled) && !failed.contains(where: \.isDropped))
    #expect(try await plan.books.bookkeeper.countFailures(FailureQuery()).lines.map(\.jobs) == [1])
    for job in handled {
      #expect(try await plan.books.bookkeeper.replay([job]).unchanged.map(\.reason) == [.handled])
      #expect(try await plan.books.bookkeeper.explain(job)?.reasons.first?.lifts == nil)
    }
  }
}

extension FourNumbersTests.Listed {
  fileprivate mutating func add(_ job: JobRecord) {
    switch (job.state, job.hold) {
    case (.held, .retry?): retrying += 1
    case (.held, .restored?) where job.attempt > 1: retrying += 1
    case (.held, .schedule?), (.held, .after?), (.held, .restored?): later += 1
    case (.held, _), (.queued, _): waiting += 1
    case (.running, _): running += 1
    case (.failed, _): unsettled += job.isDropped || job.isHandled || job.replayedAs != nil ? 0 : 1
    case (.succeeded, _), (.cancelled, _): break
    }
  }
}
