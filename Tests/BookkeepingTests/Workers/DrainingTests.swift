import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("An order to drain")
struct DrainingTests {
  private let worker = WorkerID("w1")

  private func drain(_ name: String, _ books: Books, at now: Duration = .zero) async throws -> WorkerDrain {
    try await books.bookkeeper.drainWorker(DrainOrder(worker: name), at: now).get()
  }

  private func refusal(of name: String, _ books: Books) async throws -> JobFailure? {
    guard case .failure(let failure) = try await books.bookkeeper.drainWorker(DrainOrder(worker: name), at: .zero)
    else {
      return nil
    }
    return failure
  }

  @Test("a worker is told to drain, by its id or its name, until it says that it drains")
  func untilItSaysSo() async throws {
    let books = try await Books()
    try await books.present(worker)
    try await books.present(WorkerID("other"))
    _ = try await books.told()
    let told = try await drain("desk-w1", books)
    #expect(told.id == worker && told.name == "desk-w1" && told.isNew && told.isTold && !told.isDraining)
    #expect(try await books.told().staffings == [Staffing(isToDrain: true)])
    try await books.present(worker)
    #expect(try await books.told().staffings == [Staffing(isToDrain: true)], "it has not said so")
    try await books.present(worker, isDraining: true)
    #expect(try await books.told().staffings.isEmpty)
    try await books.present(WorkerID("other"))
    #expect(try await books.told().staffings.isEmpty, "another worker is not told")
    #expect(try await drain(worker.text, books).isDraining)
  }

  @Test("a second order changes nothing, before and after the worker says that it drains")
  func second() async throws {
    let books = try await Books()
    try await books.present(worker)
    #expect(try await drain("w1", books).isNew)
    _ = try await books.told()
    let second = try await drain("w1", books)
    #expect(!second.isNew && second.isTold && !second.isDraining)
    #expect(try await books.told().staffings == [Staffing(isToDrain: true)], "the first message may be lost")
    try await books.present(worker, isDraining: true)
    let third = try await drain("w1", books)
    #expect(!third.isNew && third.isTold && third.isDraining)
    #expect(try await books.told().staffings.isEmpty)
  }

  @Test("a worker that drains by itself needs no order")
  func byItself() async throws {
    let books = try await Books()
    try await books.present(worker, isDraining: true)
    let drain = try await drain("w1", books)
    #expect(!drain.isNew && drain.isTold && drain.isDraining)
  }

  @Test("a worker that is not there, has left or was given up is no worker")
  func unknown() async throws {
    let books = try await Books()
    #expect(try await refusal(of: "w1", books)?.code == JobFailure.Code.noWorker)
    #expect(try await refusal(of: "", books)?.code == JobFailure.Code.noWorker)
    try await books.present(worker)
    try await books.present(worker, isGoodbye: true)
    #expect(try await refusal(of: "w1", books)?.code == JobFailure.Code.noWorker)
    try await books.present(worker)
    for second in 1...20 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(try await refusal(of: "desk-w1", books)?.code == JobFailure.Code.noWorker)
  }

  @Test("of several workers of one name none is told, and the answer names their ids")
  func ambiguous() async throws {
    let books = try await Books()
    for id in ["w111", "w1112"] { try await books.present(WorkerID(id)) }
    _ = try await books.told()
    let failure = try #require(try await refusal(of: "desk-w111", books))
    #expect(failure.code == JobFailure.Code.ambiguousWorker)
    #expect(failure.message.contains("2 workers") && failure.message.contains("w111, w1112"), "\(failure.message)")
    #expect(try await books.told().staffings.isEmpty)
    #expect(try await drain("w1112", books).id == WorkerID("w1112"))
  }

  @Test("a silent worker is not told, and the answer says so; it is told when it is heard again")
  func silent() async throws {
    let books = try await Books(lease: .seconds(60))
    try await books.present(worker)
    _ = try await books.told()
    let silent = try await drain("w1", books, at: .seconds(30))
    #expect(silent.isNew && !silent.isTold && silent.silence == .seconds(30))
    _ = try await books.told()
    try await books.present(worker, at: .seconds(31))
    #expect(try await books.told().staffings == [Staffing(isToDrain: true)])
    #expect(try await drain("w1", books, at: .seconds(31)).isTold)
  }

  @Test("a coordinator that takes over tells the worker, in its welcome and afterwards")
  func takenOver() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await drain("w1", books)
    let later = try await books.succeeded()
    _ = try await later.told()
    let again = try await drain("w1", later)
    #expect(!again.isNew && !again.isTold, "it was not heard yet")
    _ = try await later.told()
    try await later.present(worker)
    let told = try await later.told()
    #expect(told.welcomes.map(\.staffing) == [Staffing(isToDrain: true)])
    try await later.present(worker, isDraining: true)
    #expect(try await later.told().staffings.isEmpty)
  }

  @Test("a worker that was given up meanwhile and comes back is told; a new process of its name is not")
  func givenUp() async throws {
    let books = try await Books()
    try await books.present(worker)
    _ = try await drain("w1", books)
    for second in 1...20 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.workers.isEmpty)
    _ = try await books.told()
    try await books.present(worker)
    #expect(try await books.told().welcomes.map(\.staffing) == [Staffing(isToDrain: true)])
    try await books.present(worker, isDraining: true, isGoodbye: true)
    try await books.present(worker)
    #expect(try await books.told().welcomes.map(\.staffing) == [Staffing()])
  }

  @Test("the list and the status of workers say who was told to drain, and who drains")
  func shown() async throws {
    let books = try await Books()
    try await books.present(worker, kinds: ["loan", "deposit"])
    try await books.present(WorkerID("w2"), tellers: ["init": 1])
    func states() async -> [[Bool]] {
      await books.bookkeeper.listWorkers(WorkerQuery(), at: .seconds(3)).workers.map {
        [$0.status.isToldToDrain, $0.status.isDraining]
      }
    }
    #expect(await states() == [[false, false], [false, false]])
    _ = try await drain("w1", books)
    #expect(await states() == [[true, false], [false, false]])
    try await books.present(worker, kinds: ["loan", "deposit"], isDraining: true)
    #expect(await states() == [[true, true], [false, false]])
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.workers.map(\.isDraining) == [true, false] && status.workers.map(\.isToldToDrain) == [true, false])
  }

  @Test("workers are listed by id, a page at a time, all or those of a department, with the kinds of their handlers")
  func pages() async throws {
    let books = try await Books()
    for (id, tellers) in [("c", ["work": 1]), ("a", ["work": 2]), ("b", ["init": 1]), ("d", ["work": 0])] {
      try await books.present(WorkerID(id), tellers: tellers, kinds: id == "a" ? nil : ["loan", "deposit"])
    }
    func ids(_ query: WorkerQuery) async -> [String] {
      await books.bookkeeper.listWorkers(query, at: .zero).workers.map(\.id.text)
    }
    #expect(await ids(WorkerQuery()) == ["a", "b", "c", "d"])
    #expect(await ids(WorkerQuery(department: "work")) == ["a", "c", "d"])
    let first = await books.bookkeeper.listWorkers(WorkerQuery(department: "work", limit: 2), at: .seconds(4))
    #expect(first.workers.map(\.id.text) == ["a", "c"] && first.next == WorkerID("c"))
    #expect(first.workers.map(\.kinds) == [nil, ["deposit", "loan"]])
    #expect(first.workers[0].status.silence == .seconds(4) && first.workers[0].status.tellers == ["work": 2])
    let last = await books.bookkeeper.listWorkers(
      WorkerQuery(department: "work", limit: 2, after: first.next), at: .zero)
    #expect(last.workers.map(\.id.text) == ["d"] && last.next == nil)
  }
}
