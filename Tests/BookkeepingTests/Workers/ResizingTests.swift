import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Pausing and staffing")
struct ResizingTests {
  private let worker = WorkerID()

  @Test("nothing of a paused department is released, until it is resumed, also after a restart")
  func pauses() async throws {
    let books = try await Books()
    let document = try await books.bookkeeper.setPaused("work", true)
    #expect(document == DepartmentPause(department: "work", isPaused: true, isNew: true))
    #expect(try await !books.bookkeeper.setPaused("work", true).isNew)
    let job = Submission(id: JobID(), kind: "deposit")
    try await books.accept(job)
    let later = try await books.succeeded()
    #expect(try await later.told().assignments.isEmpty)
    _ = try await later.bookkeeper.setPaused("work", false)
    #expect(try await later.told().assignments.map(\.job) == [job.id])
  }

  @Test("a worker is told what is paused until it says the same")
  func pausedUntilItSaysSo() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await books.told()
    _ = try await books.bookkeeper.setPaused("work", true)
    #expect(try await books.told().staffings == [Staffing(paused: ["work"])])
    try await books.present(worker)
    #expect(try await books.told().staffings == [Staffing(paused: ["work"])])
    try await books.present(worker, paused: ["work"])
    #expect(try await books.told().staffings.isEmpty)
    _ = try await books.bookkeeper.setPaused("work", false)
    _ = try await books.told()
    try await books.present(worker, paused: ["work"])
    #expect(try await books.told().staffings == [Staffing()])
  }

  @Test("a worker that does not serve a paused department is not told of it again and again")
  func notServed() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("init", true)
    try await books.present(worker)
    _ = try await books.told()
    try await books.present(worker)
    #expect(try await books.told().staffings.isEmpty)
  }

  @Test("a worker is told its number of tellers until it says the same")
  func resizes() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await books.told()
    let document = try await books.bookkeeper.resize(ResizeOrder(department: "work", tellers: 5)).get()
    #expect(document.workers.map(\.before) == [2])
    #expect(document.workers.map(\.tellers) == [5])
    #expect(try await books.told().staffings == [Staffing(tellers: ["work": 5])])
    try await books.present(worker)
    #expect(try await books.told().staffings == [Staffing(tellers: ["work": 5])])
    try await books.present(worker, tellers: ["work": 5])
    #expect(try await books.told().staffings.isEmpty)
  }

  @Test("a coordinator that takes over remembers it")
  func resizedAndRestarted() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await books.bookkeeper.resize(ResizeOrder(department: "work", tellers: 0))
    let later = try await books.succeeded()
    _ = try await later.told()
    try await later.present(worker)
    #expect(try await later.told().staffings == [Staffing(tellers: ["work": 0])])
  }

  @Test("a worker that was given up and comes back is told again, also by another coordinator; one that left is not")
  func resizedAndGivenUp() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await books.bookkeeper.resize(ResizeOrder(department: "work", tellers: 7))
    for second in 1...20 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.workers.isEmpty)
    let later = try await books.succeeded()
    #expect(await later.bookkeeper.workers.isEmpty, "nobody waits for it")
    _ = try await later.told()
    try await later.present(worker)
    #expect(try await later.told().welcomes.map(\.staffing) == [Staffing(tellers: ["work": 7])])
    try await later.present(worker)
    #expect(try await later.told().staffings == [Staffing(tellers: ["work": 7])])
    try await later.present(worker, isGoodbye: true)
    try await later.present(worker)
    #expect(try await later.told().welcomes.map(\.staffing) == [Staffing()])
  }

  @Test("a worker is meant by its name byte by byte, not by one that only looks like it")
  func exactName() async throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let books = try await Books()
    #expect(composed == decomposed, "Unicode takes them for one")
    for (name, id) in [(composed, WorkerID("a")), (decomposed, WorkerID("b"))] {
      let presence = Presence(
        worker: id, session: 1, name: name, tellers: ["work": 2], ledger: books.ledger.id, probe: 0, running: [])
      try await books.bookkeeper.hear([.presence(presence)], at: .zero)
    }
    _ = try await books.told()
    _ = try await books.bookkeeper.resize(ResizeOrder(department: "work", tellers: 5, worker: decomposed))
    #expect(await books.bookkeeper.workers[WorkerID("a")]?.wanted == [:])
    #expect(await books.bookkeeper.workers[WorkerID("b")]?.wanted == ["work": 5])
  }

  @Test("nobody counts on a worker that names a department which there is not, however often it says so")
  func unknownDepartment() async throws {
    let books = try await Books()
    for _ in 0..<2 { try await books.present(worker, tellers: ["work": 2, "wrok": 1]) }
    #expect(try await books.told().welcomes.map(\.unknown) == [["wrok"], ["wrok"]])
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.workers.isEmpty)
    #expect(status.departments.allSatisfy { $0.tellers == 0 })
    #expect(try await refusal(of: ResizeOrder(department: "work", tellers: 1), books) == "no_worker")
    for second in 1...20 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(try await books.told().isEmpty)
  }

  @Test("a worker that was welcome is still heard by a coordinator that has one of its departments no more")
  func departmentIsGone() async throws {
    let books = try await Books()
    try await books.present(worker, tellers: ["work": 2, "capped": 1])
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let later = try await books.succeeded { $0.departments["capped"] = nil }
    _ = try await later.told()
    let running = [RunningRelease(release: assignment.release, token: assignment.token)]
    try await later.present(worker, tellers: ["work": 2, "capped": 1], running: running)
    #expect(try await later.told().welcomes.map(\.unknown) == [["capped"]])
    #expect(await later.bookkeeper.released[assignment.job]?.run?.worker == worker)
  }

  @Test("only the named worker is resized, by its id or its name")
  func named() async throws {
    let books = try await Books()
    let other = WorkerID()
    try await books.present(worker)
    try await books.present(other, tellers: ["init": 1])
    let byID = ResizeOrder(department: "work", tellers: 3, worker: worker.text)
    #expect(try await books.bookkeeper.resize(byID).get().workers.map(\.id) == [worker])
    let elsewhere = ResizeOrder(department: "work", tellers: 3, worker: other.text)
    #expect(try await refusal(of: elsewhere, books) == "no_worker")
    #expect(try await refusal(of: ResizeOrder(department: "capped", tellers: 1), books) == "no_worker")
  }

  @Test("nobody is told anything when one of the workers would have more tellers than it may")
  func tooMany() async throws {
    let books = try await Books()
    try await books.present(worker)
    try await books.present(WorkerID(), tellers: ["work": 1, "init": 1])
    _ = try await books.told()
    #expect(try await refusal(of: ResizeOrder(department: "work", tellers: 10_000), books) == "too_many_tellers")
    #expect(try await books.told().staffings.isEmpty)
    #expect(try await books.bookkeeper.resize(ResizeOrder(department: "work", tellers: 9_999)).get().workers.count == 2)
  }

  private func refusal(of order: ResizeOrder, _ books: Books) async throws -> String? {
    guard case .failure(let failure) = try await books.bookkeeper.resize(order) else { return nil }
    return failure.code
  }

  @Test("the counts of a department are what its jobs are")
  func status() async throws {
    let books = try await Books()
    try await books.present(worker, tellers: ["capped": 2])
    let jobs = (0..<5).map { _ in Submission(id: JobID(), kind: "vault") }
    try await books.accept(jobs)
    let released = try await books.told().assignments
    try await books.accept(
      Submission(id: JobID(), kind: "vault", runAt: .within(.seconds(60))),
      Submission(id: JobID(), kind: "vault", after: Dependencies(jobs: [jobs[4].id])))
    try await books.present(
      worker, tellers: ["capped": 2], running: [RunningRelease(release: released[0].release, token: 1)])
    _ = try await books.cancel(released[1].job)
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    let capped = try #require(status.departments.first { $0.department == "capped" })
    #expect([capped.held, capped.delayed, capped.dependent] == [5, 1, 1])
    #expect([capped.queued, capped.running, capped.void, capped.cancelled] == [0, 1, 1, 1])
    #expect([capped.window, capped.cap, capped.tellers] == [2, 2, 2])
    #expect(status.workers.map(\.running) == [1])
  }
}
