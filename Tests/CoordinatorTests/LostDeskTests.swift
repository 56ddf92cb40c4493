import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("Releases that may be lost")
struct LostDeskTests {
  /// Everything is older than this.
  private let anyAge: Duration = .seconds(-60)

  private func released(_ books: Books) async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    await books.bookkeeper.confirmed([assignment.release])
    return assignment
  }

  @Test("what was released into a queue that is empty is released anew")
  func emptyQueue() async throws {
    let books = try await Books()
    let assignment = try await released(books)
    #expect(await books.bookkeeper.suspectQueues(olderThan: anyAge) == [JobQueue("work")])
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
    #expect(told.assignments.map(\.attempt) == [1])
  }

  @Test("what is on its way, what is new, what a worker names, and what is in a queue with messages is not lost")
  func notLost() async throws {
    let books = try await Books()
    let unconfirmed = try await books.release(Submission(id: JobID(), kind: "deposit"))
    #expect(await books.bookkeeper.suspectQueues(olderThan: anyAge).isEmpty)
    await books.bookkeeper.confirmed([unconfirmed.release])
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(60)).isEmpty)
    try await books.bookkeeper.lookForLost(in: [JobQueue("init")], olderThan: anyAge)
    #expect(try await books.told().fences.isEmpty)
    let running = RunningRelease(release: unconfirmed.release, token: unconfirmed.token)
    try await books.present(WorkerID(), running: [running])
    #expect(await books.bookkeeper.suspectQueues(olderThan: anyAge).isEmpty)
  }

  @Test("what a much later release of its level has overtaken is released anew")
  func overtaken() async throws {
    let books = try await Books()
    let (early, late) = (try await released(books), try await released(books))
    await books.bookkeeper.backdate(early.job, by: .seconds(20))
    try await books.bookkeeper.lookForLost(in: [], olderThan: anyAge)
    #expect(try await books.told().fences.isEmpty)
    try await books.succeed(late)
    try await books.bookkeeper.lookForLost(in: [], olderThan: anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [early.job])
  }

  @Test("a release of another level, and one whose level is not known after a restart, overtakes nothing")
  func notOvertaken() async throws {
    let books = try await Books()
    let early = try await released(books)
    let urgent = try await books.release(Submission(id: JobID(), kind: "deposit", priority: 9))
    let late = try await released(books)
    await books.bookkeeper.backdate(early.job, by: .seconds(20))
    try await books.succeed(urgent)
    try await books.bookkeeper.lookForLost(in: [], olderThan: anyAge)
    #expect(try await books.told().fences.isEmpty)
    try await books.bookkeeper.recordMarks()
    try await books.restart()
    await books.bookkeeper.backdate(early.job, by: .seconds(20))
    try await books.succeed(late)
    try await books.bookkeeper.lookForLost(in: [], olderThan: anyAge)
    #expect(try await books.told().fences.isEmpty)
  }

  @Test("of many large jobs that are lost at once, one turn publishes some and the chores the others")
  func manyLarge() async throws {
    let books = try await Books()
    let payload = [UInt8](repeating: 1, count: ReleasedAgain.byteLimit / 2)
    for _ in 0..<5 {
      let assignment = try await books.release(Submission(id: JobID(), kind: "deposit", payload: payload))
      await books.bookkeeper.confirmed([assignment.release])
    }
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: anyAge)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.count == 2)
    #expect(await books.bookkeeper.chores.unpublished.count == 3)
    #expect(try await books.doChores() == 2)
    let others = try await books.told().assignments
    #expect(Set((told.assignments + others).map(\.job)).count == 5)
    try await books.succeed(others[0])
    #expect(try await books.state(others[0].job) == .succeeded)
  }
}

extension Bookkeeper {
  fileprivate func backdate(_ job: JobID, by age: Duration) {
    guard let live = released[job] else { return }
    released[job]?.releasedAt = live.releasedAt - age
  }
}
