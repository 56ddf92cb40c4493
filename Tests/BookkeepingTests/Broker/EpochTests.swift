import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

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

  /// Found by the simulator: the next session compared the stream with what had been recorded meanwhile.
  @Test(
    "sessions that the stream has not answered hide nothing from the next one, or from a late answer",
    arguments: [false, true], [false, true])
  func unanswered(isReplaced: Bool, isAnsweredLate: Bool) async throws {
    var books = try await Books()
    let epoch = await books.bookkeeper.epoch
    let own = try await books.bookkeeper.safePosition()
    for _ in 1...2 { try await books.bookkeeper.streamIsUnknown(from: own) }
    for _ in 1...3 { try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit"))) }
    try await books.bookkeeper.streamIsUnknown(from: try await books.bookkeeper.safePosition())
    if isReplaced { books = try await books.succeeded() }
    if isAnsweredLate {
      #expect(try await books.bookkeeper.isBehind(streamAt: NotificationPosition(epoch: epoch, seq: 2), from: own))
    }
    #expect(try await books.compare(epoch, 2), "the first ledger had told two events more before it was rolled back")
    #expect(try await !books.compare(epoch + 1, own.seq + 3))
  }

  @Test("once the stream has answered, what was recorded before it did counts")
  func answered() async throws {
    let books = try await Books()
    let epoch = await books.bookkeeper.epoch
    try await books.bookkeeper.streamIsUnknown(from: NotificationPosition(epoch: epoch, seq: 0))
    for _ in 1...3 { try await books.succeed(try await books.release(Submission(id: JobID(), kind: "deposit"))) }
    #expect(try await !books.compare(epoch, 0))
    #expect(try await !books.compare(epoch, 3))
    try await books.bookkeeper.streamIsUnknown(from: NotificationPosition(epoch: epoch, seq: 0))
    #expect(try await !books.bookkeeper.isBehind(streamAt: nil, from: NotificationPosition(epoch: epoch, seq: 3)))
    #expect(try await !books.compare(epoch, 3))
  }

  @Test("an epoch behind which there is none is not believed", arguments: [JobProgress.lastEpoch, 1 << 40, .max])
  func impossible(shown: Int) async throws {
    let books = try await Books()
    let epoch = await books.bookkeeper.epoch
    #expect(try await !books.compare(shown, 1))
    #expect(await books.bookkeeper.epoch == epoch)
  }

  @Test("of what the stream tells, only that counts behind which a ledger can go on")
  func followed() {
    let own = NotificationPosition(epoch: 1, seq: 5)
    let last = NotificationPosition(epoch: JobProgress.lastEpoch, seq: 9)
    #expect(StreamEnd.canFollow(own, own))
    #expect(StreamEnd.canFollow(NotificationPosition(epoch: JobProgress.lastEpoch - 1, seq: 9), own))
    #expect(!StreamEnd.canFollow(last, own))
    #expect(!StreamEnd.canFollow(NotificationPosition(epoch: .max, seq: 9), last))
    #expect(StreamEnd.canFollow(last, last), "of a ledger that is there itself")
  }

  @Test("a ledger that has come to the last epoch stays there, and works")
  func last() async throws {
    let books = try await Books()
    #expect(try await books.compare(JobProgress.lastEpoch - 1, 1))
    #expect(await books.bookkeeper.epoch == JobProgress.lastEpoch)
    #expect(try await !books.compare(JobProgress.lastEpoch, 1_000))
    #expect(await books.bookkeeper.epoch == JobProgress.lastEpoch)
    try await books.beginSession()
    #expect(await books.bookkeeper.claims.number > 0)
  }
}

extension Books {
  @discardableResult
  fileprivate func compare(_ epoch: Int, _ seq: Int64) async throws -> Bool {
    try await bookkeeper.compare(withStreamAt: NotificationPosition(epoch: epoch, seq: seq))
  }
}
