import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("the part of a window that the jobs of one kind have while only some workers have a handler for it")
struct KindShareTests {
  let books: Books
  private let old = WorkerID("old")
  private let new = WorkerID("new")
  private let loans = JobQueue("work", kind: "loan")

  /// Two workers, of which only one has a handler for `loan`; the window is of 10.
  init() async throws {
    books = try await Books(lease: .seconds(3_600))
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit", "loan", "transfer"])
    _ = try await books.told()
  }

  private func submissions(_ count: Int, _ kind: JobKind) -> [Submission] {
    (0..<count).map { _ in Submission(id: JobID(), kind: kind, maxAttempts: 1) }
  }

  /// What is released when so many have been accepted.
  private func accept(_ count: Int, _ kind: JobKind) async throws -> [Assignment] {
    try await books.accept(submissions(count, kind))
    return try await books.told().assignments
  }

  private func unserved() async -> Int? { await books.bookkeeper.memory.desks["work"]?.unserved }

  @Test("they take half of it, and the reserve of their priority; the others are held, and go one by one")
  func half() async throws {
    let released = try await accept(30, "loan")
    #expect(released.count == 6 && released.allSatisfy { $0.queue == loans })
    #expect(await unserved() == 24)
    #expect(try await accept(5, "deposit").count == 5, "other kinds have the rest at once")
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
    try await books.succeed(released[0], released[1])
    let next = try await books.told().assignments
    #expect(next.count == 2 && next.allSatisfy { $0.isBeside && $0.attempt == 1 && !$0.mustClaim })
    #expect(await unserved() == 22)
    #expect(await books.bookkeeper.places(beside: loans) == 5)
  }

  @Test("all of them are served in the end, each once, and never more at once than their part")
  func allServed() async throws {
    let jobs = submissions(40, "loan")
    try await books.accept(jobs)
    var open = try await books.told().assignments
    var served: [JobID] = []
    while let next = open.popLast() {
      served.append(next.job)
      try await books.succeed(next)
      open += try await books.told().assignments
      #expect(open.count <= 6)
    }
    #expect(served.count == 40 && Set(served) == Set(jobs.map(\.id)))
    #expect(await unserved() == 0)
  }

  @Test("an urgent one has its reserve; of those that are held the most urgent goes first, and a new one last")
  func order() async throws {
    let released = try await accept(6, "loan")
    let urgent = (0..<2).map { _ in Submission(id: JobID(), kind: "loan", priority: .highest) }
    let held = submissions(2, "loan")
    try await books.accept(held + urgent)
    #expect(try await books.told().assignments.map(\.job) == [urgent[0].id])
    let late = Submission(id: JobID(), kind: "loan")
    try await books.accept(late)
    var order: [JobID] = []
    for assignment in released {
      try await books.succeed(assignment)
      order += try await books.told().assignments.map(\.job)
    }
    #expect(order == [urgent[1].id] + held.map(\.id) + [late.id])
  }

  @Test("the reserve of an urgent one is found behind any number of held ones of another priority")
  func reserve() async throws {
    #expect(try await accept(20, "deposit").count == 11)
    #expect(try await accept(300, "loan").isEmpty)
    let urgent = Submission(id: JobID(), kind: "loan", priority: .highest)
    #expect(try await books.release(urgent).isBeside)
  }

  @Test("what is cancelled and still in the queue keeps its place there")
  func void() async throws {
    let released = try await accept(20, "loan")
    for assignment in released.prefix(3) { _ = try await books.cancel(assignment.job) }
    #expect(try await books.told().assignments.isEmpty)
    try await books.drop(released[0].release)
    #expect(try await books.told().assignments.count == 1)
    try await books.restart()
    #expect(await books.bookkeeper.places(beside: loans) == 5, "the sixth is in the reserve again")
  }

  @Test("in an ordered department one goes after the other all the same")
  func ordered() async throws {
    try await books.present(old, tellers: ["work": 1, "init": 1], kinds: ["deposit"])
    try await books.present(new, tellers: ["work": 1, "init": 1], kinds: ["deposit", "loan", "step"])
    let steps = (0..<3).map { _ in Submission(id: JobID(), kind: "step") }
    for step in steps { try await books.accept(step) }
    for step in steps {
      let told = try await books.told().assignments
      #expect(told.map(\.job) == [step.id] && told.allSatisfy(\.isBeside))
      for assignment in told { try await books.succeed(assignment) }
    }
  }

  @Test("in an ordered department one that comes too late does not keep those behind it")
  func orderedTooLate() async throws {
    let books = try await Books(lease: .seconds(3_600))
    let first = try await books.release(Submission(id: JobID(), kind: "step"))
    let late = Submission(id: JobID(), kind: "step", startBy: .within(.seconds(60)))
    let next = Submission(id: JobID(), kind: "step")
    try await books.accept(late, next)
    books.clock.pass(.seconds(60))
    try await books.succeed(first)
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [next.id])
    #expect(try await books.failure(late.id) == "too_late")
  }

  @Test("ready jobs that turn out to be of such a kind are held many in a turn, and others go past them")
  func manyReady() async throws {
    try await books.present(old, kinds: ["deposit", "loan"])
    let jobs = try await accept(3 * ReleaseBudget.releases, "loan")
    #expect(jobs.count == 11 && jobs.allSatisfy { !$0.isBeside })
    let deposit = Submission(id: JobID(), kind: "deposit")
    try await books.accept(deposit)
    try await books.present(old, kinds: ["deposit"])
    for job in jobs { try await books.succeed(job) }
    #expect(try await books.doChores() <= 6)
    #expect(try await books.told().assignments.contains { $0.job == deposit.id })
    #expect(await books.bookkeeper.memory.desks["work"]?.ready.reduce(0, +) == 0)
    #expect(await books.bookkeeper.places(beside: loans) == 5)
  }

  @Test("a new one does not overtake held ones that one turn was not enough to release")
  func overtakesNobody() async throws {
    let books = try await Books(window: 4 * ReleaseBudget.releases, lease: .seconds(3_600))
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit", "loan"])
    let released = try await books.fill(4 * ReleaseBudget.releases, "loan")
    #expect(released.count == 2 * ReleaseBudget.releases + ReleaseBudget.releases * 4 / 10)
    let ended = released.prefix(ReleaseBudget.releases + 10).map { books.report($0, .done) }
    #expect(try await books.bookkeeper.record(ended).isEmpty)
    #expect(await books.bookkeeper.room(beside: loans) == 10)
    #expect(await books.bookkeeper.unfilled == ["work"], "the next turn goes on")
    let late = Submission(id: JobID(), kind: "loan")
    try await books.accept(late)
    #expect(try await books.state(late.id) == .held)
  }

  /// Found by the simulator: the search for held jobs takes a turn for each kind and department.
  @Test(
    "nor those that were held while nobody had a handler, and are not looked after yet", arguments: [true, false])
  func overtakesNobodyThatIsLookedFor(isBesideOld: Bool) async throws {
    let books = try await Books(lease: .seconds(3_600))
    try await books.present(old, kinds: ["deposit"])
    let (first, late) = (Submission(id: JobID(), kind: "loan"), Submission(id: JobID(), kind: "loan"))
    try await books.accept(first)
    try await books.present(isBesideOld ? new : old, kinds: ["deposit", "loan"])
    try await books.accept(late)
    try await books.doChores()
    #expect(try await books.told().assignments.map(\.job) == [first.id, late.id])
  }

  @Test("two such kinds have a third each, and one that has no more to do leaves its part to the other")
  func thirds() async throws {
    #expect(try await accept(2, "transfer").count == 2)
    let loans = try await accept(20, "loan")
    #expect(loans.count == 4, "one of them in the reserve of their priority")
    #expect(try await accept(20, "transfer").count == 1)
    #expect(try await accept(20, "deposit").count == 4)
  }

  @Test("after a restart they are still held, and go on as there is room")
  func restarted() async throws {
    let released = try await accept(20, "loan")
    try await books.restart()
    try await books.doChores()
    #expect(await unserved() == 14, "however often it is started anew")
    _ = try await books.told()
    try await books.succeed(released[0], released[1])
    #expect(try await books.told().assignments.count == 2)
    #expect(await unserved() == 12)
  }

  @Test("after a restart those of several levels have the same places: none of them was one of other kinds")
  func restartedWithLevels() async throws {
    let released = try await accept(6, "loan")
    for priority in [9, 8] as [Priority] {
      _ = try await books.release(Submission(id: JobID(), kind: "loan", priority: priority))
    }
    #expect(try await accept(7, "loan").isEmpty)
    for loan in released.prefix(5) { try await books.succeed(loan) }
    #expect(try await books.told().assignments.count == 5)
    #expect(await books.bookkeeper.places(beside: loans) == 5)
    for _ in 0..<2 {
      try await books.restart()
      try await books.doChores()
      #expect(await books.bookkeeper.places(beside: loans) == 5)
      #expect(await unserved() == 2)
    }
  }

  @Test("one that is moved out of a reserve has the reserve of its new priority, not a place of other kinds")
  func moved() async throws {
    let released = try await accept(6, "loan")
    books.bookkeeper.confirmed(released.map(\.release))
    let last = released[5].job
    #expect(await books.bookkeeper.released[last]?.place.slot == .reserve)
    #expect(try await books.rerank(last, .highest) == nil)
    var told = try await books.told()
    let probe = try #require(told.probes.max())
    try await books.present(old, kinds: ["deposit"], probe: probe)
    try await books.present(new, kinds: ["deposit", "loan", "transfer"], probe: probe)
    told += try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.priority) == [.highest])
    #expect(await books.bookkeeper.released[last]?.place.slot == .reserve)
    #expect(await books.bookkeeper.places(beside: loans) == 5)
  }

  @Test(
    "when every worker has a handler, all of them may be released to the department's queue", arguments: [true, false])
  func allKnow(byGoodbye: Bool) async throws {
    _ = try await accept(20, "loan")
    if byGoodbye {
      try await books.present(old, kinds: ["deposit"], isGoodbye: true)
    } else {
      try await books.present(old, kinds: ["deposit", "loan"])
    }
    try await books.doChores()
    let told = try await books.told().assignments
    #expect(told.count >= 5 && told.allSatisfy { !$0.isBeside })
    #expect(await unserved() == 0)
    #expect(await books.bookkeeper.waitingQueues.isEmpty)
  }

  @Test("when the last worker with a handler is gone they stay held, and go when another one comes")
  func nobodyKnows() async throws {
    let released = try await accept(20, "loan")
    try await books.present(new, kinds: ["deposit", "loan"], isGoodbye: true)
    try await books.succeed(released[0])
    try await books.doChores()
    #expect(try await books.told().assignments.isEmpty)
    try await books.present(WorkerID("newer"), kinds: ["loan"])
    try await books.doChores()
    #expect(try await books.told().assignments.count == 1)
  }

  @Test("nothing of them is released while their department is paused")
  func paused() async throws {
    let released = try await accept(20, "loan")
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.succeed(released[0])
    #expect(try await books.told().assignments.isEmpty)
    _ = try await books.bookkeeper.setPaused("work", false)
    #expect(try await books.told().assignments.count == 1)
  }

  @Test("what is given back out of the department's queue is held, too, if it is too much")
  func givenBack() async throws {
    let books = try await Books(lease: .seconds(3_600))
    let loans = try await books.fill(10, "loan")
    for loan in loans { books.bookkeeper.confirmed([loan.release]) }
    try await books.present(old, kinds: ["deposit"])
    try await books.present(new, kinds: ["deposit", "loan"])
    _ = try await books.told()
    for loan in loans { try await books.giveBack(loan.release, by: old) }
    var told = try await books.told()
    var answered = 0
    while let probe = told.probes.max(), probe > answered {
      answered = probe
      try await books.present(old, kinds: ["deposit"], probe: probe)
      try await books.present(new, kinds: ["deposit", "loan"], probe: probe)
      told += try await books.returnFences(in: try await books.told())
    }
    #expect(told.assignments.map(\.isBeside) == [true, true, true, true, true, true])
    #expect(told.assignments.map(\.attempt) == [1, 1, 1, 1, 1, 1])
    #expect(await books.bookkeeper.memory.desks["work"]?.unserved == 4)
  }

  @Test("explain says how many may be released, and the status that they wait for a handler")
  func told() async throws {
    let jobs = submissions(20, "loan")
    try await books.accept(jobs)
    let last = try #require(jobs.last)
    let reasons = try #require(try await books.bookkeeper.explain(last.id)).reasons
    #expect(reasons.map(\.hold) == [.handler])
    let part = "(desk-new have one, desk-old do not), so its jobs may have 5 of the department's 10 places, and have 5"
    #expect(reasons[0].text.contains(part))
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.departments.first { $0.department == "work" }?.unserved == 14)
    #expect(status.handlers.map(\.jobs) == [20])
  }

  @Test("a kind always has room for one job")
  func atLeastOne() {
    let queues = KindQueues((0..<20).map { JobQueue("work", kind: JobKind("kind\($0)")!) })
    #expect(queues.limit(of: loans, window: 10) == 1)
    #expect(KindQueues([loans]).limit(of: loans, window: 10) == 5)
    #expect(KindQueues([JobQueue("other", kind: "loan")]).limit(of: loans, window: 10) == 5)
  }
}

extension Books {
  fileprivate func fill(_ count: Int, _ kind: JobKind) async throws -> [Assignment] {
    try await accept((0..<count).map { _ in Submission(id: JobID(), kind: kind, maxAttempts: 1) })
    return try await told().assignments
  }
}
