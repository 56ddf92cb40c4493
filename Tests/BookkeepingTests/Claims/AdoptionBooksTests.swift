import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("An adopted job in the books")
struct AdoptionBooksTests {
  private let worker = WorkerID()

  private func adopted(_ books: Books) async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.adopt(assignment, by: worker)
    #expect(try await books.told().adopted == [assignment.release])
    return assignment
  }

  @Test("an adoption with a token of another run is not answered")
  func otherToken() async throws {
    let books = try await Books()
    var assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    assignment.token += 1
    try await books.adopt(assignment, by: worker)
    #expect(try await books.told().adopted.isEmpty)
  }

  @Test("it is released anew when its worker's lease has passed, to be claimed")
  func leasePassed() async throws {
    let books = try await Books()
    try await books.present(worker)
    let assignment = try await adopted(books)
    for second in 1...12 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
    // Its worker may have died of it: the next start is recorded before it runs.
    #expect(told.assignments.map(\.mustClaim) == [true])
    // Also when it is moved before anybody has claimed it.
    books.bookkeeper.confirmed(told.assignments.map(\.release))
    #expect(try await books.rerank(assignment.job, .highest) == nil)
    let moved = try await books.returnFences(in: try await books.told())
    #expect(moved.assignments.map(\.job) == [assignment.job])
    #expect(moved.assignments.map(\.mustClaim) == [true])
  }

  /// Found by the simulator: the report was confirmed by a broker that then lost its disk.
  @Test("it is released anew when its worker lives, names it no longer, and no report comes")
  func reportLost() async throws {
    let books = try await Books()
    let assignment = try await adopted(books)
    books.bookkeeper.confirmed([assignment.release])
    await books.bookkeeper.backdateSign(assignment.job, by: .seconds(60))
    let running = RunningRelease(release: assignment.release, token: assignment.token)
    try await books.present(worker, running: [running])
    try await books.bookkeeper.lookForLost(in: [], olderThan: .seconds(30))
    #expect(try await books.told().probes.isEmpty)
    try await books.present(worker)
    #expect(await books.bookkeeper.suspectQueues(olderThan: .seconds(30)).isEmpty, "it has no message")
    try await books.bookkeeper.lookForLost(in: [], olderThan: .seconds(30))
    let probe = try #require(try await books.told().probes.max())
    try await books.present(worker, probe: probe)
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
  }

  @Test("a coordinator that starts when its worker is gone releases it anew, to be claimed")
  func orphan() async throws {
    let books = try await Books()
    let assignment = try await adopted(books)
    let later = try await books.succeeded()
    let told = try await later.returnFences(in: try await later.told())
    #expect(told.assignments.map(\.job) == [assignment.job])
    #expect(told.assignments.map(\.mustClaim) == [true])
  }

  @Test("a coordinator that starts while its worker is there leaves it alone")
  func stays() async throws {
    let books = try await Books()
    try await books.present(worker)
    let assignment = try await adopted(books)
    let later = try await books.succeeded()
    #expect(try await later.told().fences.isEmpty)
    try await later.succeed(assignment)
    #expect(try await later.state(assignment.job) == .succeeded)
  }
}
