import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("kinds and the workers that have handlers for them")
struct HandlerBooksTests {
  let books: Books
  private let old = WorkerID("old")
  private let new = WorkerID("new")

  /// The quiet time of an epoch is a lease by the real clock: longer than any test takes.
  private static let lease = Duration.seconds(3_600)

  init() async throws { books = try await Books(lease: Self.lease) }

  /// Two workers, of which only one has a handler for `loan`.
  private func presentBoth() async throws {
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit", "loan"])
    _ = try await books.told()
  }

  private func hold(of id: JobID) async throws -> [JobExplanation.Hold] {
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
    #expect(try await hold(of: loans[0].id) == [.handler])
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
    books.bookkeeper.confirmed([loan.release])
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
    books.bookkeeper.confirmed([loan.release])
    try await books.bookkeeper.recordMarks()
    try await books.giveBack(loan.release, by: old)
    _ = try await books.told()
    try await books.restart()
    try await books.doChores()
    let again = try #require(try await books.told().assignments.first)
    #expect(again.release == loan.release && again.mustClaim && again.isBeside)
  }

  /// A job in the department's queue that only some workers can run, and an epoch in which nothing may be released yet.
  private func releaseBeforeQuiet() async throws -> Assignment {
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    books.bookkeeper.confirmed([loan.release])
    try await books.bookkeeper.recordMarks()
    let shown = NotificationPosition(epoch: await books.bookkeeper.epoch, seq: 1)
    #expect(try await books.bookkeeper.compare(withStreamAt: shown))
    try await books.restart()
    #expect(await books.bookkeeper.isQuiet)
    try await presentBoth()
    return loan
  }

  @Test("what is given back while nothing may be released yet is published again afterwards, once")
  func givenBackInQuietTime() async throws {
    let loan = try await releaseBeforeQuiet()
    for _ in 0..<2 { try await books.giveBack(loan.release, by: old) }
    _ = try await books.bookkeeper.doChores()
    #expect(try await books.told().assignments.isEmpty)
    try await books.bookkeeper.endQuiet(at: books.now + Self.lease)
    try await books.doChores()
    let again = try await books.told().assignments
    #expect(again.map(\.release) == [loan.release] && again.allSatisfy(\.mustClaim))
    try await books.giveBack(loan.release, by: old)
    let told = try await answerProbes(try await books.told())
    #expect(told.assignments.map(\.job) == [loan.job] && told.assignments.allSatisfy { $0.isBeside && $0.attempt == 1 })
  }

  @Test("what is given back and cancelled while nothing may be released yet gives its place back")
  func cancelledInQuietTime() async throws {
    let loan = try await releaseBeforeQuiet()
    try await books.giveBack(loan.release, by: old)
    #expect(try await books.cancel(loan.job).changed == [loan.job])
    try await books.bookkeeper.endQuiet(at: books.now + Self.lease)
    try await books.doChores()
    _ = try await books.told()
    books.clock.pass(.milliseconds(1))
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
    #expect(try await answerProbes(try await books.told()).forgotten == [loan.release])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
  }

  @Test("one that is to be moved, and is given back meanwhile, leaves no message behind that would keep a place")
  func givenBackWhileMoved() async throws {
    try await books.present(old, kinds: ["deposit", "loan"])
    try await books.present(new, kinds: ["deposit", "loan"])
    _ = try await books.told()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    books.bookkeeper.confirmed([loan.release])
    #expect(try await books.rerank(loan.job, 9) == nil)
    try await books.giveBack(loan.release, by: old)
    let told = try await answerProbes(try await books.told())
    #expect(told.reranked.map(\.priority) == [9])
    #expect(told.assignments.map(\.priority) == [9] && told.assignments.allSatisfy(\.isBeside))
    #expect(told.forgotten == [loan.release])
    #expect(await books.bookkeeper.voidPlaces.isEmpty)
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 1)
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
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
    #expect(try await hold(of: juggle.job) == [.handler])
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("in an ordered department a job that nobody can run keeps its turn")
  func ordered() async throws {
    try await books.present(old, tellers: ["init": 1], kinds: ["other"])
    let steps = (0..<2).map { Submission(id: JobID(), kind: $0 == 0 ? "step" : "other", department: "init") }
    try await books.accept(steps)
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await hold(of: steps[0].id) == [.handler])
    #expect(try await hold(of: steps[1].id) == [.order])
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

  @Test("tellers also serve a queue in which only releases are that are void: each keeps a place until it is dropped")
  func voidShares() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan"))
    books.bookkeeper.confirmed([loan.release])
    _ = try await books.cancel(loan.job)
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 1)
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    #expect(await books.bookkeeper.staffing(of: new).beside["work"]?["loan"] ?? 0 > 0)
    for second in [2, 20] { try await books.bookkeeper.shareTellers(at: .seconds(second)) }
    #expect(try await books.told().queuesToRemove.isEmpty)
  }

  @Test("workers of one teller take turns at the queues one behind the other, and never leave one all at once")
  func sharesInTurns() async throws {
    try await books.present(old, kinds: ["deposit"])
    let small = (0..<4).map { WorkerID("small\($0)") }
    for worker in small { try await books.present(worker, tellers: ["work": 1], kinds: ["deposit", "loan"]) }
    try await books.accept((0..<4).map { Submission(id: JobID(), kind: $0 == 0 ? "loan" : "deposit") })
    var served: Set<WorkerID> = []
    for second in 1...3 {
      try await books.bookkeeper.shareTellers(at: .seconds(second))
      let now = await books.bookkeeper.workers.filter { !$0.value.share.isEmpty }.keys
      #expect(now.count == 2, "the others serve the department")
      served.formUnion(now)
    }
    #expect(served == Set(small))
  }

  @Test("a queue that no teller serves has them shared out at once, and once until their time comes")
  func urgent() {
    let queue = JobQueue("work", kind: "loan")
    var queues = KindQueues()
    var due: [Double] = []
    for time in [10, 10.1, 10.2, 10.3, 11, 11.1, 11.2] {
      _ = queues.use(queue, isServed: false)
      if queues.isSharingDue(at: .seconds(time)) { due.append(time) }
    }
    #expect(due == [10, 10.1, 11, 11.1])
    #expect(queues.turn == 2, "each second")
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
    let reasons = try #require(try await books.bookkeeper.explain(between.id)).reasons.map(\.text)
    #expect(reasons.count == 1 && reasons[0].contains("(desk-new have one, desk-old do not), and the queue"))
    #expect(await books.bookkeeper.missingHandlers.isEmpty, "nor is it said that nobody has a handler")
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    try await books.doChores()
    let told = try await books.told()
    #expect(told.queuesToMake == [loan.queue] && told.assignments.map(\.job) == [between.id])
  }

  @Test("when the last worker that knows a kind has left, the jobs in its queue are held, and their places are free")
  func lastOneLeaves() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    books.bookkeeper.confirmed([loan.release])
    try await books.present(new, kinds: ["deposit", "loan"], isGoodbye: true)
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    #expect(try await hold(of: loan.job) == [.handler])
    try await books.bookkeeper.shareTellers(at: .seconds(1) + KindQueues.idleLimit)
    #expect(try await books.told().queuesToRemove == [loan.queue])
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(try await books.state(loan.job) == .held)
    #expect(try await hold(of: loan.job) == [.handler])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("while all workers that know a kind drain, its jobs are held, and so are those that are in its queue")
  func drain() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    let running = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    books.bookkeeper.confirmed([loan.release, running.release])
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    let run = [RunningRelease(release: running.release, token: running.token)]
    try await books.present(new, kinds: ["deposit", "loan"], running: run, isDraining: true)
    let late = Submission(id: JobID(), kind: "loan")
    try await books.accept(late)
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await hold(of: late.id) == [.handler])
    for second in [2, 20] { try await books.bookkeeper.shareTellers(at: .seconds(second)) }
    #expect(await books.bookkeeper.staffing(of: new).beside.isEmpty)
    #expect(try await books.told().queuesToRemove == [loan.queue])
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    try await books.present(new, kinds: ["deposit", "loan"], probe: probe, running: run, isDraining: true)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(try await hold(of: loan.job) == [.handler])
    #expect(try await hold(of: running.job) == [.running], "it ends where it runs")
  }

  @Test("what only a worker takes that names no kinds is held while another one lacks it, and not longer")
  func namesNone() async throws {
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new)
    let loan = Submission(id: JobID(), kind: "loan")
    try await books.accept(loan)
    #expect(try await books.told().assignments.isEmpty)
    #expect(try await hold(of: loan.id) == [.handler])
    try await books.present(old, kinds: ["deposit"], isGoodbye: true)
    try await books.doChores()
    let told = try await books.told().assignments
    #expect(told.map(\.job) == [loan.id] && told.allSatisfy { !$0.isBeside })
  }

  @Test("a session that ends when a queue is gone, and its jobs are not claimed yet, has the queue made anew for them")
  func endsAfterRemoval() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    books.bookkeeper.confirmed([loan.release])
    try await books.present(new, kinds: ["deposit", "loan"], isGoodbye: true)
    try await books.bookkeeper.shareTellers(at: .seconds(1))
    try await books.bookkeeper.shareTellers(at: .seconds(1) + KindQueues.idleLimit)
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    _ = try await books.told()
    try await books.restart()
    try await books.doChores()
    let told = try await books.told()
    #expect(told.assignments.map(\.release) == [loan.release])
    #expect(told.queuesToMake == [loan.queue], "the broker would refuse it")
    for second in [1, 20] { try await books.bookkeeper.shareTellers(at: .seconds(second)) }
    #expect(try await books.told().queuesToRemove == [loan.queue], "still nobody serves it")
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(try await hold(of: loan.job) == [.handler])
  }

  @Test("nothing is published into a queue that is being removed: it is claimed when that is gone")
  func notIntoRemoved() async throws {
    try await presentBoth()
    let loan = try await books.release(Submission(id: JobID(), kind: "loan", maxAttempts: 1))
    try await books.present(new, kinds: ["deposit", "loan"], isGoodbye: true)
    try await books.restart()
    for second in [1, 20] { try await books.bookkeeper.shareTellers(at: .seconds(second)) }
    #expect(try await books.told().queuesToRemove == [loan.queue])
    try await books.doChores()
    #expect(try await books.told().assignments.isEmpty)
    try await books.bookkeeper.kindQueueIsGone(loan.queue)
    #expect(try await books.told().probes.count == 1)
  }

  @Test("status and explain name the kinds that are missing, who has a handler, and what may have been meant")
  func status() async throws {
    try await presentBoth()
    let meant = Submission(id: JobID(), kind: "deposti", department: "work")
    try await books.accept(Submission(id: JobID(), kind: "loan"), meant)
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.departments.first { $0.department == "work" }?.unserved == 1)
    #expect(
      status.handlers == [
        HandlerStatus(
          department: "work", kind: "deposti", jobs: 1, with: [], without: ["desk-new", "desk-old"],
          suggestion: "deposit"),
        HandlerStatus(
          department: "work", kind: "loan", jobs: 1, with: ["desk-new"], without: ["desk-old"], suggestion: nil),
      ])
    let explained = try #require(try await books.bookkeeper.explain(meant.id)?.reasons.first { $0.hold == .handler })
    #expect(explained.text.hasSuffix(#"(asked: desk-new, desk-old); did you mean "deposit"?"#), "\(explained.text)")
  }
}
