import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Lists, from the books")
struct ListingTests {
  private func fail(_ books: Books, _ kind: JobKind, hopeless: Bool = true) async throws -> JobID {
    let assignment = try await books.release(Submission(id: JobID(), kind: kind))
    if hopeless {
      try await books.fail(assignment, isPermanent: true)
    } else {
      try await books.record(
        books.report(assignment, .failed(JobFailure(code: "broken", message: "it broke"), isPermanent: true)))
    }
    return assignment.job
  }

  private func list(_ books: Books, _ query: JobQuery) async throws -> [JobID] {
    try await books.bookkeeper.listJobs(query).jobs.map(\.id)
  }

  @Test("failed jobs are found by their error, and no job of another state")
  func errors() async throws {
    let books = try await Books()
    let hopeless = try await fail(books, "deposit")
    let broken = try await fail(books, "vault", hopeless: false)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.record(
      books.report(assignment, .discarded(JobFailure(code: "broken", message: "a cancelled one"))))
    #expect(try await books.state(assignment.job) == .cancelled)
    #expect(try await list(books, JobQuery(error: "hopeless")) == [hopeless])
    #expect(try await list(books, JobQuery(error: "broken")) == [broken])
    #expect(try await list(books, JobQuery(department: "work", error: "broken")).isEmpty)
    #expect(try await list(books, JobQuery(state: .failed, error: "hopeless", onlyUnsettled: true)) == [hopeless])
    _ = try await books.bookkeeper.drop([hopeless])
    #expect(try await list(books, JobQuery(error: "hopeless", onlyUnsettled: true)).isEmpty)
  }

  @Test("jobs are found by the time of their acceptance, by their key, and by their plan")
  func others() async throws {
    let books = try await Books()
    var keyed = Submission(id: JobID(), kind: "deposit")
    keyed.key = SubmissionKey(text: "A-17")
    try await books.accept(keyed)
    let step = PlanStep(name: "s", kind: "step", rank: 1)
    let plan = PlanSubmission(id: JobID(), department: "init", steps: [step])
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
    #expect(try await list(books, JobQuery(kind: "deposit", key: "A-17")) == [keyed.id])
    #expect(try await list(books, JobQuery(kind: "loan", key: "A-17")).isEmpty)
    #expect(try await list(books, JobQuery(plan: plan.id)) == [JobID(plan: plan.id, step: "s")])
    let (hourAgo, inAnHour) = ((books.now - .seconds(3_600)).date, (books.now + .seconds(3_600)).date)
    #expect(try await list(books, JobQuery(since: hourAgo, until: inAnHour)).count == 2)
    #expect(try await list(books, JobQuery(since: inAnHour)).isEmpty)
    #expect(try await list(books, JobQuery(until: hourAgo)).isEmpty)
  }

  @Test("failed jobs are counted by what failed, the largest count first, until they are looked after")
  func failures() async throws {
    let books = try await Books()
    _ = try await fail(books, "vault")
    let deposits = [try await fail(books, "deposit"), try await fail(books, "deposit")]
    let counts = try await books.bookkeeper.countFailures(FailureQuery())
    #expect(counts.next == nil)
    #expect(counts.lines.map(\.kind) == ["deposit", "vault"] && counts.lines.map(\.jobs) == [2, 1])
    #expect(counts.lines.map(\.error) == ["hopeless", "hopeless"])
    let line = try #require(counts.lines.first)
    #expect(deposits.contains(line.example) && line.department == "work")
    #expect(abs(line.newest.timeIntervalSince(books.now.date)) < 1)
    #expect(try await books.bookkeeper.countFailures(FailureQuery(kind: "vault")).lines.map(\.jobs) == [1])
    #expect(try await books.bookkeeper.countFailures(FailureQuery(error: "broken")).lines.isEmpty)
    let inAnHour = (books.now + .seconds(3_600)).date
    #expect(try await books.bookkeeper.countFailures(FailureQuery(since: inAnHour)).lines.isEmpty)
    _ = try await books.bookkeeper.drop(deposits)
    #expect(try await books.bookkeeper.countFailures(FailureQuery()).lines.map(\.kind) == ["vault"])
  }
}
