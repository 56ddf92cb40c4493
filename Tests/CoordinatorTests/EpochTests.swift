import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Coordinator

@Suite("The epoch")
struct EpochTests {
  @Test("a stream that is not ahead of the ledger changes nothing")
  func same() async throws {
    let books = try await Books()
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    try await books.succeed(assignment)
    let epoch = await books.bookkeeper.epoch
    try await books.compare(epoch, 1)
    try await books.compare(epoch - 1, 1_000)
    #expect(await books.bookkeeper.epoch == epoch)
  }

  @Test("a stream that is ahead begins a new epoch, which later assignments carry and the next coordinator knows")
  func ahead() async throws {
    let books = try await Books()
    let epoch = await books.bookkeeper.epoch
    try await books.compare(epoch, 1)
    #expect(await books.bookkeeper.epoch == epoch + 1)
    try await books.compare(epoch + 4, 1)
    #expect(await books.bookkeeper.epoch == epoch + 5)
    #expect(try await books.release(Submission(id: JobID(), kind: "deposit")).epoch == epoch + 5)
    try await books.compare(epoch + 3, 1_000)
    #expect(await books.bookkeeper.epoch == epoch + 5)
  }
}

extension Books {
  @discardableResult
  fileprivate func compare(_ epoch: Int, _ seq: Int64) async throws -> Bool {
    try await bookkeeper.compare(withStreamAt: NotificationPosition(epoch: epoch, seq: seq))
  }
}
