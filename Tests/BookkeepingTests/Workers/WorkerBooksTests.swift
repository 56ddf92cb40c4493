import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Workers that come and go, in the books")
struct WorkerBooksTests {
  @Test("one that has left, and one that was given up, are remembered no more")
  func forgotten() async throws {
    let books = try await Books()
    let (leaving, silent) = (WorkerID(), WorkerID())
    for worker in [leaving, silent] { try await books.present(worker) }
    #expect(await books.bookkeeper.greeted == [leaving, silent])
    try await books.present(leaving, isGoodbye: true)
    #expect(await books.bookkeeper.greeted == [silent])
    for second in 1...10 { try await books.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.greeted.isEmpty)
  }
}
