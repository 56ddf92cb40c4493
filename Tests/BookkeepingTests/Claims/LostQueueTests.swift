import AMQP
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("A department's queue that was lost with its node")
struct LostQueueTests {
  private let queue = Topology.Queue.department("work")

  private func released(_ books: Books, _ kind: JobKind = "deposit") async throws -> Assignment {
    let assignment = try await books.release(Submission(id: JobID(), kind: kind))
    books.bookkeeper.confirmed([assignment.release])
    return assignment
  }

  /// What the next session publishes.
  private func publishedAgain(_ books: Books) async throws -> [Assignment] {
    try await books.beginSession()
    try await books.doChores()
    return try await books.told().assignments
  }

  @Test("each of its releases is published again, the same, to be claimed; those of other departments are not")
  func publishedAgain() async throws {
    let books = try await Books()
    let lost = [try await released(books), try await released(books)]
    _ = try await released(books, "vault")
    #expect(try await books.bookkeeper.queueIsLost(queue) == 2)
    let again = try await publishedAgain(books)
    #expect(again.map(\.release) == lost.map(\.release))
    #expect(again.map(\.token) == lost.map(\.token))
    #expect(again.allSatisfy { $0.mustClaim })
    books.bookkeeper.confirmed(again.map(\.release))
    #expect(try await publishedAgain(books).isEmpty)
  }

  @Test("a coordinator that dies before it has published them leaves that to the next, even if it had a mark to record")
  func crash() async throws {
    let books = try await Books()
    let recorded = try await released(books)
    try await books.bookkeeper.recordMarks()
    let marked = try await released(books)
    _ = try await books.bookkeeper.queueIsLost(queue)
    try await books.bookkeeper.recordMarks()
    try await books.bookkeeper.reload()
    #expect(Set(try await publishedAgain(books).map(\.release)) == [recorded.release, marked.release])
  }

  @Test("what its worker has adopted has no message, and is left to it")
  func adopted() async throws {
    let books = try await Books()
    let worker = WorkerID()
    try await books.present(worker)
    let long = try await released(books)
    try await books.present(worker, running: [RunningRelease(release: long.release, token: long.token)])
    try await books.adopt(long, by: worker)
    #expect(try await books.bookkeeper.queueIsLost(queue) == 0)
    #expect(try await publishedAgain(books).isEmpty)
  }

  @Test("what was void in it gives its place back as soon as no worker has it, without waiting for a lease")
  func void() async throws {
    let books = try await Books(window: 1)
    let cancelled = try await released(books)
    _ = try await books.cancel(cancelled.job)
    _ = try await books.returnFences(in: try await books.told())
    #expect(await books.bookkeeper.voidPlaces.keys.contains(cancelled.release))
    _ = try await books.bookkeeper.queueIsLost(queue)
    try await books.beginSession()
    let told = try await books.returnFences(in: try await books.told())
    #expect(told.forgotten == [cancelled.release])
    #expect(await books.bookkeeper.voidPlaces.isEmpty)
  }

  @Test("of a queue that is no department's nothing is released again")
  func other() async throws {
    let books = try await Books()
    _ = try await released(books)
    #expect(try await books.bookkeeper.queueIsLost(Topology.Queue.presence) == 0)
    #expect(try await publishedAgain(books).isEmpty)
  }

  @Test("the queues that are on one node are the classic ones, and each department's")
  func queuesOfOneNode() {
    #expect(
      Set(Topology.queuesOfOneNode(departments: ["work"])) == [
        "teller.presence", "teller.early", "teller.requests", "teller.admin", "teller.rejected",
        "teller.department.work",
      ])
  }

  @Test("a worker knows a probe, and takes no job for one")
  func probe() {
    var delivery = Delivery.empty
    delivery.properties = QueueProbe.publishing(to: "q").properties
    #expect(QueueProbe.isProbe(delivery))
    #expect(!QueueProbe.isProbe(.empty))
    #expect(JobKind(delivery.properties.type ?? "") == nil)
  }
}
