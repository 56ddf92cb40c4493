import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Keys that are taken exactly while their jobs have no outcome")
struct WhileLiveKeyTests {
  private let key = JobKey(kind: "deposit", key: "invoice 7")

  private func keyed(reply: ReplyAddress? = nil) -> Submission {
    Submission(id: JobID(), kind: key.kind, key: SubmissionKey(text: key.key, window: .whileLive), reply: reply)
  }

  /// How a job can end, and with that its key.
  enum End: CaseIterable {
    case succeeded, failed, cancelled
  }

  @Test("the key is free in the transaction in which its job ends, however it ends", arguments: End.allCases)
  func freed(end: End) async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    try await books.accept(keyed(reply: .other))
    #expect(try await books.told().replies(to: .other) == [.duplicate])
    switch end {
    case .succeeded: try await books.succeed(first)
    case .failed: try await books.fail(first, isPermanent: true)
    case .cancelled: _ = try await books.cancel(first.job)
    }
    #expect(try await !books.bookkeeper.keyStatus(key).isTaken)
    #expect(try await books.bookkeeper.listKeys(KeyQuery()).keys.isEmpty)
    _ = try await books.told()
    #expect(try await books.release(keyed()).job != first.job)
  }

  /// How a key can become free for others.
  enum Freed: CaseIterable {
    case end, restart, command, window
  }

  /// Found by the simulator: a coordinator that dies before it acks a message gets it again.
  @Test(
    "what was a duplicate is one still when it comes again, whether the key is free by then or another job has it",
    arguments: Freed.allCases, [false, true])
  func cameAgain(_ freed: Freed, isTakenAgain: Bool) async throws {
    var books = try await Books()
    var (original, again) = (keyed(), keyed(reply: .other))
    if freed == .window {
      original.key = SubmissionKey(text: key.key, window: .lasting(.seconds(5)))
      again.key = original.key
    }
    let first = try await books.release(original)
    try await books.accept(again)
    #expect(try await books.told().replies(to: .other) == [.duplicate])
    if freed == .command {
      _ = try await books.bookkeeper.freeKey(key.kind, key.key, command: UUID())
    } else {
      try await books.succeed(first)
    }
    if freed == .window { books.clock.pass(.seconds(6)) }
    if freed == .restart { books = try await books.succeeded() }
    let next = isTakenAgain ? try await books.release(keyed()) : nil
    try await books.accept(again)
    let told = try await books.told()
    #expect(told.assignments.isEmpty && told.replies(to: .other).contains(.duplicate))
    #expect(try await books.state(again.id) == nil)
    if let next { try await books.succeed(next) }
  }

  @Test("an id that was used for a duplicate says nothing of a job of another kind, or with another key")
  func otherUse() async throws {
    let books = try await Books()
    let (first, again) = (try await books.release(keyed()), keyed(reply: .other))
    try await books.accept(again)
    try await books.succeed(first)
    _ = try await books.told()
    var other = again
    other.key = SubmissionKey(text: "invoice 8", window: .whileLive)
    try await books.accept(other)
    #expect(try await books.told().replies(to: .other) == [.accepted])
  }

  @Test("an attempt that failed, and is tried again, is no end")
  func triedAgain() async throws {
    let books = try await Books()
    try await books.fail(try await books.release(keyed()))
    try await books.accept(keyed(reply: .other))
    #expect(try await books.told().replies(to: .other) == [.duplicate])
  }

  @Test("the next coordinator finds the key taken by a job that lives, and free after one that has ended")
  func restarted() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    let later = try await books.succeeded()
    #expect(try await later.bookkeeper.keyStatus(key).isTaken)
    try await later.accept(keyed(reply: .other))
    #expect(try await later.told().replies(to: .other) == [.duplicate])
    _ = try await later.cancel(first.job)
    let last = try await later.succeeded()
    #expect(try await !last.bookkeeper.keyStatus(key).isTaken)
    try await last.accept(keyed(reply: .other))
    #expect(try await last.told().replies(to: .other) == [.accepted])
  }

  @Test("the outcome stays after the end until the next use, and no longer than the record of the job")
  func kept() async throws {
    let books = try await Books(retention: .everything)
    #expect(try await books.bookkeeper.keyStatus(key).job == nil)
    let first = try await books.release(keyed())
    let running = try await books.bookkeeper.keyStatus(key)
    #expect(running.job == first.job && running.outcome == nil && running.isWhileLive == true && running.until == nil)
    try await books.succeed(first)
    let ended = try await books.bookkeeper.keyStatus(key)
    #expect(ended.job == first.job && ended.outcome == .succeeded(result: [1], contentType: nil) && !ended.isTaken)
    let second = try await books.release(keyed())
    let again = try await books.bookkeeper.keyStatus(key)
    #expect(again.job == second.job && again.outcome == nil && again.isTaken)
    try await books.fail(second, isPermanent: true)
    _ = try await books.told()
    try await books.retain()
    #expect(try await books.job(second.job) == nil)
    let gone = try await books.bookkeeper.keyStatus(key)
    #expect(gone.job == nil && gone.outcome == nil && !gone.isTaken, "no key of a job that no longer exists")
    _ = try await books.release(keyed())
  }

  @Test("a replay of the failed job does not take the key")
  func replayed() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    try await books.fail(first, isPermanent: true)
    _ = try await books.bookkeeper.replay([first.job])
    #expect(try await !books.bookkeeper.keyStatus(key).isTaken)
    #expect(try await books.bookkeeper.keyStatus(key).job == first.job)
  }

  @Test("the next use and the end of the last one may be in one batch of work, in either order")
  func oneTurn() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    let (early, late) = (keyed(reply: .other), keyed(reply: .test))
    try await books.accept(early)
    try await books.succeed(first)
    try await books.accept(late)
    let told = try await books.told()
    #expect(told.replies(to: .other) == [.duplicate, .outcome(.succeeded(result: [1], contentType: nil))])
    #expect(told.replies(to: .test) == [.accepted])
    #expect(told.assignments.map(\.job) == [late.id])
  }
}
