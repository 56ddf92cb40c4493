import JobModel
import JobTransport
import Ledger
import Testing

@testable import Coordinator

@Suite("kinds and the workers that have handlers for them")
struct HandlerBooksTests {
  let books: Books
  private let old = WorkerID("old")
  private let new = WorkerID("new")

  init() async throws { books = try await Books() }

  /// Two workers, of which only one has a handler for `loan`.
  private func presentBoth() async throws {
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit", "loan"])
    _ = try await books.told()
  }

  private func hold(of id: JobID) async throws -> [String] {
    try #require(try await books.bookkeeper.explain(id)).reasons.map(\.hold)
  }

  /// What a worker gave back, or the coordinator missed, is released again once all workers have answered.
  private func answerProbes(_ told: [Outgoing], running: [RunningRelease] = []) async throws -> [Outgoing] {
    let probe = try #require(told.probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    try await books.present(new, kinds: ["deposit", "loan"], probe: probe, running: running)
    return try await books.returnFences(in: try await books.told())
  }

  @Test(
    "a kind that all workers know goes to the department's queue, one that some know to a queue of its own, made first")
  func routes() async throws {
    try await presentBoth()
    let deposit = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(!deposit.isBeside)
    try await books.accept(Submission(id: JobID(), kind: "loan"))
    let told = try await books.told()
    let loan = try #require(told.assignments.first)
    #expect(loan.isBeside && told.queuesToMake == [loan.queue])
    let second = try await books.release(Submission(id: JobID(), kind: "loan"))
    #expect(second.isBeside)
    #expect(try await books.told().queuesToMake.isEmpty, "once")
  }

  @Test("where nobody knows a kind its jobs are held, others go past them, and a worker that knows it lifts all")
  func nobody() async throws {
    try await books.present(old, kinds: ["deposit"])
    let loans = (0..<3).map { _ in Submission(id: JobID(), kind: "loan", maxAttempts: 1) }
    try await books.accept(loans)
    #expect(try await books.told().assignments.isEmpty)
    let after = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(try await hold(of: loans[0].id) == ["handler"])
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
    try await books.succeed(after)
    _ = try await books.told()
    try await books.present(new, kinds: ["loan"])
    try await books.doChores()
    let told = try await books.told().assignments
    #expect(Set(told.map(\.job)) == Set(loans.map(\.id)))
    #expect(told.allSatisfy { $0.isBeside && $0.attempt == 1 }, "the other worker still knows nothing of it")
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test(
    "jobs that were accepted before the first worker came are held when they have been given back, and keep their attempts"
  )
  func givenBack() async throws {
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    await books.bookkeeper.confirmed([loan.release])
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit"])
    _ = try await books.told()
    try await books.giveBack(loan.release, by: old)
    let told = try await answerProbes(try await books.told())
    // The second one now knows it.
    let again = try #require(told.assignments.first)
    #expect(again.job == loan.job && again.isBeside && again.attempt == 1 && !again.mustClaim)
    #expect(try await books.job(loan.job)?.progress.attempt == 1)
    #expect(try await books.failure(loan.job) == nil, "also one that may be tried once")
  }

  @Test("what is given back, and runs elsewhere all the same, is left to who runs it")
  func runsElsewhere() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.giveBack(loan.release, by: old)
    let running = RunningRelease(release: loan.release, token: loan.token)
    let told = try await answerProbes(try await books.told(), running: [running])
    #expect(told.assignments.isEmpty)
    try await books.succeed(loan)
    #expect(try await books.state(loan.job) == .succeeded)
  }

  @Test("a coordinator that ends before it has released anew what was given back publishes it again, to be claimed")
  func restartsBetween() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    await books.bookkeeper.confirmed([loan.release])
    try await books.bookkeeper.recordMarks()
    try await books.giveBack(loan.release, by: old)
    _ = try await books.told()
    try await books.restart()
    try await books.doChores()
    let again = try #require(try await books.told().assignments.first)
    #expect(again.release == loan.release && again.mustClaim && again.isBeside)
  }

  @Test("a worker that takes every kind, and gives one back, is not given it again")
  func takesAll() async throws {
    try await books.present(old)
    let juggle = try await books.release(Submission(id: JobID(), kind: "juggle", department: "work"))
    try await books.giveBack(juggle.release, by: old)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(old, probe: probe)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.isEmpty)
    #expect(try await hold(of: juggle.job) == ["handler"])
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("in an ordered department a job that nobody can run keeps its turn")
  func ordered() async throws {
    try await books.present(old, tellers: ["init": 1], kinds: ["other"])
    let steps = (0..<2).map { Submission(id: JobID(), kind: $0 == 0 ? "step" : "other", department: "init") }
    try await books.accept(steps)
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await hold(of: steps[0].id) == ["handler"])
    #expect(try await hold(of: steps[1].id) == ["order"])
    try await books.present(new, tellers: ["init": 1], kinds: ["step", "other"])
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [steps[0].id])
  }

  @Test("workers that know the kind are told to serve its queue, those that do not are not")
  func shares() async throws {
    try await presentBoth()
    try await books.accept((0..<4).map { Submission(id: JobID(), kind: $0 == 0 ? "loan" : "deposit") })
    _ = try await books.told()
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    #expect(try await books.told().staffings.map(\.beside) == [["work": ["loan": 1]]])
    #expect(await books.bookkeeper.staffing(of: old).beside.isEmpty)
    #expect(await books.bookkeeper.staffing(of: new).beside == ["work": ["loan": 1]])
  }

  @Test("a queue that has had nothing to do is removed, and made anew when it is needed")
  func removed() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    try await books.succeed(loan)
    for second in [3, 5] { try await books.bookkeeper.shareTellers(at: .seconds(second)) }
    #expect(try await books.told().queuesToRemove.isEmpty)
    try await books.bookkeeper.shareTellers(at: .seconds(3) + KindQueues.idleLimit)
    #expect(try await books.told().queuesToRemove == [loan.queue])
    let between = Submission(id: JobID(), kind: "loan")
    try await books.accept(between)
    #expect(try await books.told().assignments.isEmpty, "not while it is being removed")
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    try await books.doChores()
    let told = try await books.told()
    #expect(told.queuesToMake == [loan.queue] && told.assignments.map(\.job) == [between.id])
  }

  @Test("when the last worker that knows a kind has left, the jobs in its queue are held, and their places are free")
  func lastOneLeaves() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    await books.bookkeeper.confirmed([loan.release])
    try await books.present(new, kinds: ["deposit", "loan"], isGoodbye: true)
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    #expect(try await hold(of: loan.job) == ["handler"])
    try await books.bookkeeper.shareTellers(at: .seconds(1) + KindQueues.idleLimit)
    #expect(try await books.told().queuesToRemove == [loan.queue])
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(try await books.state(loan.job) == .held)
    #expect(try await hold(of: loan.job) == ["handler"])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("status names the kinds that are missing, who has a handler, and what may have been meant")
  func status() async throws {
    try await presentBoth()
    try await books.accept(
      Submission(id: JobID(), kind: "loan"), Submission(id: JobID(), kind: "deposti", department: "work"))
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.departments.first { $0.name == "work" }?.unserved == 1)
    #expect(
      status.handlers == [
        HandlerStatus(
          department: "work", kind: "deposti", jobs: 1, with: [], without: ["desk-new", "desk-old"],
          suggestion: "deposit"),
        HandlerStatus(
          department: "work", kind: "loan", jobs: 1, with: ["desk-new"], without: ["desk-old"], suggestion: nil),
      ])
  }
}
