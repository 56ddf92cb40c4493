import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Commands about the jobs that pass a filter")
struct NarrowedOperationTests {
  /// Jobs that failed with each of these codes, in turn.
  private func fail(_ books: Books, _ count: Int, _ codes: [String]) async throws -> [String: [JobID]] {
    var failed: [String: [JobID]] = [:]
    for number in 0..<count {
      let code = codes[number % codes.count]
      let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
      let failure = JobFailure(code: code, message: "no")
      try await books.record(books.report(assignment, .failed(failure, isPermanent: true)))
      failed[code, default: []].append(assignment.job)
    }
    return failed
  }

  private func carryOut(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ books: Books
  ) async throws -> JobOperation {
    let request: AdminRequest = action == .drop ? .drop(selection) : .cancel(selection)
    let note = CommandNote(request, by: CommandAuthor(by: OperatorName("ada")), command: nil)
    let operation = try #require(try await books.bookkeeper.begin(action, selection, noting: note))
    try await books.doChores()
    return try #require(try await books.bookkeeper.operationDocument(operation.id))
  }

  @Test("are one operation with one record, about as many jobs as were counted, and no others")
  func byError() async throws {
    let books = try await Books()
    let failed = try await fail(books, 60, ["bad", "late", "bad_"])
    let selection = JobSelection(department: "work", narrowing: JobNarrowing(error: "bad"))
    let count = try await books.bookkeeper.count(
      .drop, department: "work", kind: nil, narrowing: selection.narrowing)
    #expect(count.jobs == 20 && count.failed == 20 && count.filter?.error == "bad")
    let done = try await carryOut(.drop, selection, books)
    #expect((done.changed, done.looked, done.total) == (20, 20, 20) && done.finishedAt != nil)
    for (code, jobs) in failed {
      for job in jobs { #expect(try await books.bookkeeper.showJob(job)?.isDropped == (code == "bad")) }
    }
    let actions = try await books.bookkeeper.listActions(ActionQuery()).actions
    #expect(actions.map(\.detail) == ["error bad"] && actions.map(\.operation) == [done.id])
  }

  @Test("are named by the jobs that they dropped, and not by those that a later one dropped")
  func named() async throws {
    let books = try await Books()
    let codes = ["too_late", "dependency"]
    let failed = try await fail(books, 2, codes)
    var operations: [String: Int64] = [:]
    for code in codes {
      let selection = JobSelection(department: "work", narrowing: JobNarrowing(error: code))
      operations[code] = try await carryOut(.drop, selection, books).id
    }
    for (code, jobs) in failed {
      for job in jobs {
        #expect(try await books.bookkeeper.showJob(job)?.actions?.map(\.operation) == [operations[code]])
      }
    }
  }

  @Test("go on when a coordinator takes over, with the same filter")
  func goesOn() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let jobs = (0..<600).map { number in
      Submission(id: JobID(), kind: "deposit", key: number == 590 ? SubmissionKey(text: "é") : nil)
    }
    try await books.accept(jobs)
    let selection = JobSelection(kind: "deposit", narrowing: JobNarrowing(key: "é"))
    let operation = try #require(try await books.bookkeeper.begin(.cancel, selection))
    #expect(operation.total == 1 && operation.filter?.key == "é")
    let later = try await books.succeeded()
    try await later.doChores()
    #expect(try await later.bookkeeper.operationDocument(operation.id)?.changed == 1)
    #expect(try await later.state(jobs[590].id) == .cancelled)
    #expect(try await later.state(jobs[589].id) == .held)
    let decomposed = JobSelection(kind: "deposit", narrowing: JobNarrowing(key: "e\u{301}"))
    #expect(
      try await later.bookkeeper.count(.cancel, department: nil, kind: "deposit", narrowing: decomposed.narrowing).jobs
        == 0)
  }

  @Test("cancel only jobs of a state, of a time or of a plan, and close no department meanwhile")
  func byState() async throws {
    let books = try await Books(window: 3)
    let jobs = (0..<9).map { _ in Submission(id: JobID(), kind: "deposit") }
    try await books.accept(jobs)
    let all = try await books.bookkeeper.count(.cancel, department: "work", kind: nil)
    var held: [JobID] = []
    for job in jobs where try await books.state(job.id) == .held { held.append(job.id) }
    #expect(all.held == held.count && all.held + all.queued == 9 && all.held > 0 && all.queued > 0)
    let selection = JobSelection(department: "work", narrowing: JobNarrowing(state: .queued))
    let operation = try #require(try await books.bookkeeper.begin(.cancel, selection))
    #expect(operation.total == all.queued)
    let next = try await books.release(Submission(id: JobID(), kind: "vault"))
    #expect(next.attempt == 1)
    try await books.doChores()
    for job in jobs { #expect(try await (books.state(job.id) == .cancelled) == !held.contains(job.id)) }
    let future = JobNarrowing(since: (books.now + .seconds(3_600)).date)
    #expect(try await books.bookkeeper.count(.cancel, department: nil, kind: nil, narrowing: future).jobs == 0)
    let plan = JobNarrowing(plan: JobID())
    #expect(try await carryOut(.cancel, JobSelection(narrowing: plan), books).changed == 0)
  }

  @Test("are refused where the filter cannot fit")
  func refused() {
    #expect(JobSelection(narrowing: JobNarrowing(error: "x")).problem(for: .cancel) != nil)
    #expect(JobSelection(narrowing: JobNarrowing(state: .held)).problem(for: .drop) != nil)
    #expect(JobSelection(narrowing: JobNarrowing(state: .failed)).problem(for: .cancel) != nil)
    #expect(JobSelection(narrowing: JobNarrowing(error: "x")).problem(for: .replay) == nil)
    var both = JobSelection(jobs: [JobID()])
    both.narrowing.key = "k"
    #expect(both.problem(for: .cancel) != nil)
    #expect(JobSelection(narrowing: JobNarrowing(key: "")).problem(for: .cancel) != nil)
  }
}
