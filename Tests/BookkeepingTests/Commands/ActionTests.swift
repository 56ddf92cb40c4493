import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

@Suite("What operators did")
struct ActionTests {
  private let ada = CommandAuthor(by: OperatorName("ada"), user: "operator")

  private func rows(_ request: AdminRequest, _ answer: (any Answer)?) -> [OperatorAction] {
    request.actions(answer, by: ada, at: Timestamp(milliseconds: 5))
  }

  @Test("is a row for each job that a command has changed, and none for one that it left as it was")
  func jobs() {
    let (changed, left) = (JobID(), JobID())
    let changes = JobChanges(changed: [changed], unchanged: [.init(job: left, reason: .ended)])
    for (request, word) in [
      (AdminRequest.cancel(JobSelection(jobs: [changed, left])), "cancel"),
      (.replay(JobSelection(jobs: [changed, left])), "replay"), (.drop(JobSelection(jobs: [changed, left])), "drop"),
    ] {
      let found = rows(request, changes)
      #expect(found.map(\.job) == [changed] && found.first?.action == word && found.first?.by == ada.by)
      #expect(found.first?.user == "operator" && found.first?.at == Timestamp(milliseconds: 5))
    }
    #expect(rows(.cancel(JobSelection(jobs: [left])), JobChanges()).isEmpty)
  }

  @Test("is one row for a command about many jobs, with its operation")
  func operation() {
    let operation = JobOperation(
      id: 7, action: .cancel, department: "work", kind: nil, changed: 0, looked: 0, total: 9,
      startedAt: Timestamp(milliseconds: 1), finishedAt: nil)
    let found = rows(.cancel(JobSelection(department: "work")), operation)
    #expect(found.map(\.operation) == [7] && found.first?.department == "work")
    #expect(rows(.reset, operation).map(\.operation) == [7])
    #expect(rows(.resetKeys(KeyResetOrder(JobKey(kind: "k", key: "a"))), operation).map(\.name) == ["a"])
  }

  @Test("says what a command was about, and what it asked for")
  func details() {
    let job = JobID()
    let pause = DepartmentPause(department: "work", isPaused: true, isNew: true)
    #expect(rows(.pause("work"), pause).map(\.department) == ["work"])
    #expect(rows(.pause("work"), DepartmentPause(department: "work", isPaused: true, isNew: false)).isEmpty)
    let rerank = rows(.rerank(RerankOrder(job: job, priority: 9)), nil)
    #expect(rerank.map(\.job) == [job] && rerank.map(\.detail) == ["priority 9"])
    #expect(rows(.rerank(RerankOrder(job: job, rank: 3)), nil).map(\.detail) == ["rank 3"])
    let resize = rows(.resize(ResizeOrder(department: "work", tellers: 3, worker: "desk")), nil)
    #expect(resize.map(\.name) == ["desk"] && resize.map(\.detail) == ["tellers 3"])
    #expect(rows(.payload(job), nil).map(\.job) == [job], "who has read a payload is recorded, too")
    #expect(rows(.drainWorker(DrainOrder(worker: "desk")), nil).map(\.name) == ["desk"])
    #expect(rows(.forgetSubscriber("audit"), nil).map(\.name) == ["audit"])
    #expect(rows(.freeKey(KeyOrder(kind: "k", key: "a")), nil).map(\.name) == ["a"])
  }

  @Test("is also what was done without a command: a note is recorded once, and shown with its job and its author")
  func noted() async throws {
    let books = try await Books()
    let job = try await books.release(Submission(id: JobID(), kind: "deposit")).job
    let note = ActionNote("count_cash", job: job, department: "work", kind: "deposit", name: "till 3", detail: "twice")
    let command = UUID()
    let first = try await books.bookkeeper.noteAction(note, by: ada, command: command)
    #expect(first.action == "count_cash" && first.by == ada.by && first.user == "operator" && first.job == job)
    #expect(first.department == "work" && first.kind == "deposit" && first.name == "till 3" && first.detail == "twice")
    try await books.restart()
    #expect(try await books.bookkeeper.noteAction(note, by: ada, command: command).number == first.number)
    let bob = CommandAuthor(by: OperatorName("bob"), user: "operator")
    #expect(try await books.bookkeeper.noteAction(note, by: bob, command: command).number != first.number)
    #expect(try await books.bookkeeper.listActions(ActionQuery()).actions.map(\.by) == [bob.by, ada.by])
    #expect(try await books.bookkeeper.showJob(job)?.actions?.map(\.action) == ["count_cash", "count_cash"])
    #expect(rows(.note(note), nil).map(\.action) == ["count_cash"], "not the word of the command that notes it")
  }

  @Test("is shown with the job, and the reason of a cancelled job has the name")
  func shown() async throws {
    let books = try await Books()
    let job = try await books.release(Submission(id: JobID(), kind: "deposit")).job
    let (order, command) = (AdminRequest.cancel(JobSelection(jobs: [job])), UUID())
    for _ in 0..<2 {
      _ = try await books.bookkeeper.cancel(
        [job], because: .cancelled(by: ada.words), noting: CommandNote(order, by: ada, command: command))
    }
    let record = try #require(try await books.bookkeeper.showJob(job))
    #expect(record.actions?.map(\.action) == ["cancel"] && record.actions?.first?.by == ada.by)
    #expect(record.outcome?.failure?.message == "it was cancelled by ada (user operator)")
    #expect(try await books.bookkeeper.listActions(ActionQuery()).actions.map(\.job) == [job])
  }

  @Test("an operation about many jobs goes on with its author, also after a restart")
  func author() async throws {
    let books = try await Books()
    try await books.accept((0..<3).map { _ in Submission(id: JobID(), kind: "deposit") })
    let selection = JobSelection(department: "work")
    let note = CommandNote(.cancel(selection), by: ada, command: nil)
    let operation = try #require(
      try await books.bookkeeper.begin(.cancel, selection, by: ada, noting: note))
    #expect(operation.by == ada.by && operation.user == "operator")
    try await books.restart()
    try await books.doChores()
    let done = try #require(try await books.bookkeeper.operationDocument(operation.id))
    #expect(done.finished != nil && done.changed == 3 && done.by == ada.by)
    let jobs = try await books.bookkeeper.listJobs(JobQuery(state: .cancelled)).jobs
    #expect(
      jobs.count == 3 && jobs.allSatisfy { $0.outcome?.failure?.message == "it was cancelled by ada (user operator)" })
  }
}
