import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Decisions

@Suite("Releases that may be lost")
struct LostReleasesTests {
  @Test("what was released into a queue that is empty is released anew")
  func emptyQueue() async throws {
    let books = try await Books()
    let assignment = try await books.confirmedRelease()
    #expect(await books.bookkeeper.suspectQueues(olderThan: Books.anyAge) == [JobQueue("work")])
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
    #expect(told.assignments.map(\.attempt) == [1])
  }

  /// Found by the simulator: the release was void for the coordinator before, which died.
  @Test("what a worker has dropped by mistake is released again, and counts as no loss")
  func droppedByMistake() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let assignment = try await books.confirmedRelease()
    try await books.drop(assignment.release, by: worker)
    let probe = try #require(try await books.told().probes.max())
    try await books.present(worker, probe: probe)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
    #expect(try await books.ledger.read { try $0.attempts(of: assignment.job) }.isEmpty)
  }

  /// Found by the simulator: the broker confirmed the release after a worker without a handler had given it back.
  @Test("a confirm that comes after the message was given back says nothing: the next coordinator publishes it again")
  func confirmedLate() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.giveBack(assignment.release, by: worker)
    books.bookkeeper.confirmed([assignment.release])
    try await books.bookkeeper.recordMarks()
    let later = try await books.succeeded()
    try await later.doChores()
    #expect(try await later.told().assignments.map(\.job) == [assignment.job])
    // What it has published itself is in the queue.
    later.bookkeeper.confirmed([assignment.release])
    try await later.bookkeeper.recordMarks()
    let last = try await later.succeeded()
    try await last.doChores()
    #expect(try await last.told().assignments.isEmpty)
  }

  @Test("what is given back before it was published again is not published meanwhile, and counts as no loss")
  func returnedBefore() async throws {
    let first = try await Books()
    let worker = WorkerID()
    try await first.present(worker)
    let assignment = try await first.release(Submission(id: JobID(), kind: "deposit"))
    let books = try await first.succeeded()
    try await books.present(worker)
    _ = try await books.told()
    try await books.giveBack(assignment.release, by: worker)
    try await books.doChores()
    let told = try await books.told()
    #expect(told.assignments.isEmpty)
    try await books.present(worker, probe: try #require(told.probes.max()))
    _ = try await books.returnFences(in: try await books.told())
    #expect(try await books.job(assignment.job)?.withheld == .handler, "until a worker with a handler comes")
    #expect(try await books.ledger.read { try $0.attempts(of: assignment.job) }.isEmpty)
  }

  @Test("what is on its way, what is new, what a worker names, and what is in a queue with messages is not lost")
  func notLost() async throws {
    let books = try await Books()
    let unconfirmed = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(await books.bookkeeper.suspectQueues(olderThan: Books.anyAge).isEmpty)
    books.bookkeeper.confirmed([unconfirmed.release])
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(60)).isEmpty)
    try await books.bookkeeper.lookForLost(in: [JobQueue("init")], olderThan: Books.anyAge)
    #expect(try await books.told().fences.isEmpty)
    let running = RunningRelease(release: unconfirmed.release, token: unconfirmed.token)
    try await books.present(WorkerID(), running: [running])
    #expect(await books.bookkeeper.suspectQueues(olderThan: Books.anyAge).isEmpty)
  }

  @Test("what a much later release of its level has overtaken is released anew")
  func overtaken() async throws {
    let books = try await Books()
    let (early, late) = (try await books.confirmedRelease(), try await books.confirmedRelease())
    await books.bookkeeper.backdateSign(early.job, by: .seconds(20))
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    #expect(try await books.told().fences.isEmpty)
    try await books.succeed(late)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [early.job])
  }

  /// How a message that a worker had in hand may have gone back to its queue.
  enum WayBack: CaseIterable { case coordinatorsSession, workersSession, goodbye, lease, givenBack }

  @Test(
    "what came out of a queue before a worker's messages went back to it has overtaken none of them",
    arguments: WayBack.allCases)
  func goneBack(_ way: WayBack) async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let (early, late) = (try await books.confirmedRelease(), try await books.confirmedRelease())
    await books.bookkeeper.backdateSign(early.job, by: .seconds(20))
    try await books.succeed(late)
    switch way {
    case .coordinatorsSession: try await books.beginSession()
    case .workersSession: try await books.present(worker, session: 2)
    case .goodbye: try await books.present(worker, isGoodbye: true)
    case .lease:
      for second in 1...60 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    case .givenBack:
      try await books.present(worker, waiting: [WaitingRelease(release: early.release, token: early.token)])
      try await books.present(worker)
    }
    _ = try await books.told()
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    #expect(try await books.told().fences.isEmpty)
    #expect(await books.bookkeeper.released[early.job]?.release == early.release)
  }

  /// Found by the simulator: nobody looked for a release that was to be changed.
  @Test("what is to be changed is looked for, too: the worker for whose claim the change waited may have died")
  func toBeChanged() async throws {
    let books = try await Books()
    let (worker, other) = (WorkerID(), WorkerID())
    for each in [worker, other] { try await books.present(each) }
    let assignment = try await books.confirmedRelease()
    _ = try await books.rerank(assignment.job, 9)
    let probe = try #require(try await books.told().probes.max())
    try await books.claim(assignment.release, by: worker)
    for each in [worker, other] { try await books.present(each, probe: probe) }
    let next = try #require(try await books.returnFences(in: try await books.told()).probes.max())
    try await books.present(worker, isGoodbye: true)
    try await books.present(other, probe: next)
    #expect(try await books.returnFences(in: try await books.told()).assignments.isEmpty)
    #expect(await books.bookkeeper.released[assignment.job]?.release == assignment.release)
    #expect(await books.bookkeeper.suspectQueues(olderThan: Books.anyAge) == [JobQueue("work")])
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    try await books.present(other, probe: try #require(try await books.told().probes.max()))
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job] && told.assignments.map(\.priority) == [9])
    try await books.succeed(try #require(told.assignments.first))
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 0)
  }

  @Test("a release of another level, and one whose level is not known after a restart, overtakes nothing")
  func notOvertaken() async throws {
    let books = try await Books()
    let early = try await books.confirmedRelease()
    let urgent = try await books.release(Submission(id: JobID(), kind: "deposit", priority: 9))
    let late = try await books.confirmedRelease()
    await books.bookkeeper.backdateSign(early.job, by: .seconds(20))
    try await books.succeed(urgent)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    #expect(try await books.told().fences.isEmpty)
    try await books.bookkeeper.recordMarks()
    try await books.restart()
    await books.bookkeeper.backdateSign(early.job, by: .seconds(20))
    try await books.succeed(late)
    try await books.bookkeeper.lookForLost(in: [], olderThan: Books.anyAge)
    #expect(try await books.told().fences.isEmpty)
  }

  @Test("of many large jobs that are lost at once, one turn publishes some and the chores the others")
  func manyLarge() async throws {
    let books = try await Books()
    let payload = [UInt8](repeating: 1, count: ReleaseBudget.bytes / 2)
    for _ in 0..<5 {
      let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", payload: payload))
      books.bookkeeper.confirmed([assignment.release])
    }
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.count == 2)
    #expect(await books.bookkeeper.unpublished.count == 3)
    #expect(try await books.doChores() == 2)
    let others = try await books.told().assignments
    #expect(Set((told.assignments + others).map(\.job)).count == 5)
    try await books.succeed(others[0])
    #expect(try await books.state(others[0].job) == .succeeded)
  }

  @Test("one that is cancelled before the chores have published it again gives its place back")
  func cancelledUnpublished() async throws {
    let books = try await Books()
    let payload = [UInt8](repeating: 1, count: ReleaseBudget.bytes)
    for _ in 0..<2 {
      let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", payload: payload))
      books.bookkeeper.confirmed([assignment.release])
    }
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: Books.anyAge)
    _ = try await books.returnFences(in: try await books.told())
    let release = try #require(await books.bookkeeper.unpublished.first)
    #expect(try await books.cancel(release.job).changed == [release.job])
    try await books.doChores()
    #expect(try await books.told().assignments.isEmpty)
    books.clock.pass(.milliseconds(1))
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.forgotten.contains(release))
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse == 1)
  }
}

extension Books {
  /// Everything is older than this.
  static var anyAge: Duration { .seconds(-60) }

  /// A job that was released, and is in its queue for certain.
  func confirmedRelease() async throws -> Assignment {
    let assignment = try await release(Submission(id: JobID(), kind: "deposit"))
    bookkeeper.confirmed([assignment.release])
    return assignment
  }
}

extension Bookkeeper {
  /// The job was released so much earlier, in a session that began so much earlier.
  func backdateSign(_ job: JobID, by age: Duration) {
    guard let live = released[job] else { return }
    parts.releases[job]?.since = live.since - age
    parts.releases.sessionBegan -= age
  }
}
