import Decisions
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("what the broker does not take")
struct RefusedReleasesTests {
  private func accept(_ books: Books, _ count: Int, _ kind: JobKind = "deposit") async throws -> [JobID] {
    let jobs = (0..<count).map { _ in Submission(id: JobID(), kind: kind) }
    try await books.accept(jobs)
    return jobs.map(\.id)
  }

  @Test("a release that the broker refuses ends its job alone, and gives its place to the next one")
  func endsAlone() async throws {
    let books = try await Books(window: 3)
    let jobs = try await accept(books, 6)
    let released = try await books.told().assignments
    try #require(released.count >= 3)
    let refused = released[1]
    try await books.bookkeeper.end([
      RefusedRelease(release: refused.release, reason: "message size 200000 is larger than configured max size 131072")
    ])
    #expect(try await books.failure(refused.job) == JobFailure.Code.unpublishable)
    let message = try await books.job(refused.job)?.outcome?.failure?.message ?? ""
    #expect(message.contains("200000") && message.contains("131072"), "\(message)")
    let next = try await books.told().assignments
    #expect(next.count == 1, "its place is free")
    for job in jobs where job != refused.job { #expect(try await books.failure(job) == nil) }
    #expect(try await books.freshMemory() == books.bookkeeper.memory)
  }

  @Test("a refusal of a release that is no more, or was refused before, changes nothing")
  func stale() async throws {
    let books = try await Books()
    _ = try await accept(books, 1)
    let released = try #require(try await books.told().assignments.first)
    let refused = RefusedRelease(release: released.release, reason: "r")
    try await books.bookkeeper.end([refused, refused])
    try await books.bookkeeper.end([refused])
    #expect(try await books.failure(released.job) == JobFailure.Code.unpublishable)
  }

  @Test("a department whose queue is refused is out, says why, and others go on; taken back, it gets what waited")
  func departmentIsOut() async throws {
    let books = try await Books()
    await books.bookkeeper.refuse("work", because: "406: inequivalent arg")
    let jobs = try await accept(books, 3)
    let others = try await accept(books, 1, "vault")
    let told = try await books.told().assignments
    #expect(told.map(\.job) == others)
    let status = try await books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.departments.first { $0.department == "work" }?.refused == "406: inequivalent arg")
    #expect(status.departments.first { $0.department == "capped" }?.refused == nil)
    #expect(books.bookkeeper.board.departmentsOut == ["work": "406: inequivalent arg"])
    let reasons = try await books.bookkeeper.explain(jobs[0])?.reasons ?? []
    #expect(reasons.contains { $0.text.contains("406: inequivalent arg") }, "\(reasons)")
    try await books.bookkeeper.readmit("work")
    #expect(Set(try await books.told().assignments.map(\.job)) == Set(jobs))
    #expect(books.bookkeeper.board.departmentsOut.isEmpty)
  }

  @Test("a department stays out when the memory is read anew")
  func staysOut() async throws {
    let books = try await Books()
    await books.bookkeeper.refuse("work", because: "r")
    try await books.restart()
    _ = try await accept(books, 1)
    #expect(try await books.told().assignments.isEmpty)
  }

  @Test("releases that a full queue did not take are published again, to be claimed, once it takes them")
  func nacked() async throws {
    let books = try await Books()
    _ = try await accept(books, 2)
    let released = try await books.told().assignments
    await books.bookkeeper.notTaken(released.map(\.release))
    #expect(await books.bookkeeper.refusedDepartments(dueAt: books.clock.monotonic) == ["work"])
    try await books.bookkeeper.readmit("work")
    while try await books.bookkeeper.doChores() {}
    let again = try await books.told().assignments
    #expect(again.map(\.release) == released.map(\.release) && again.allSatisfy(\.mustClaim))
  }

  @Test("a job that is cancelled before the broker refuses its message for good keeps no place")
  func cancelledBeforeRefusal() async throws {
    let books = try await Books()
    _ = try await accept(books, 1)
    let release = try #require(try await books.told().assignments.first?.release)
    _ = try await books.cancel(release.job)
    try await books.bookkeeper.end([RefusedRelease(release: release, reason: "it is too large")])
    _ = try await books.told()
    books.clock.pass(.seconds(1))
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
    #expect(try await books.returnFences(in: try await books.told()).forgotten == [release])
  }

  /// Found by the simulator: another worker had asked about it meanwhile, and died.
  @Test("a job that was given back, and is cancelled before it is released again, keeps no place")
  func cancelledGivenBack() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    _ = try await accept(books, 1)
    let release = try #require(try await books.told().assignments.first?.release)
    books.bookkeeper.confirmed([release])
    try await books.giveBack(release, by: worker)
    _ = try await books.cancel(release.job)
    try await books.present(worker, isGoodbye: true)
    _ = try await books.returnFences(in: try await books.told())
    books.clock.pass(.seconds(1))
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
    _ = try await books.returnFences(in: try await books.told())
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse ?? 0 == 0)
  }

  /// When a job is cancelled whose message was not taken.
  enum Cancelled: CaseIterable { case beforeTheAnswer, afterIt, inTheNextSession }

  @Test(
    "a job that is cancelled while its department is out keeps no place once that is back",
    arguments: Cancelled.allCases)
  func cancelled(_ when: Cancelled) async throws {
    let books = try await Books()
    _ = try await accept(books, 1)
    let release = try #require(try await books.told().assignments.first?.release)
    if when == .beforeTheAnswer { _ = try await books.cancel(release.job) }
    await books.bookkeeper.notTaken([release])
    if when == .inTheNextSession {
      try await books.beginSession()
      while try await books.bookkeeper.doChores() {}
    }
    if when != .beforeTheAnswer { _ = try await books.cancel(release.job) }
    try await books.bookkeeper.readmit("work")
    while try await books.bookkeeper.doChores() {}
    _ = try await books.told()
    books.clock.pass(.seconds(1))
    try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
    #expect(try await books.returnFences(in: try await books.told()).forgotten == [release])
    #expect(await books.bookkeeper.memory.desks["work"]?.inUse ?? 0 == 0)
  }
}
