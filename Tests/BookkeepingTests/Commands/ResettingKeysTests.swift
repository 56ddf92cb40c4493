import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Keys that are reset")
struct ResettingKeysTests {
  private let key = JobKey(kind: "deposit", key: "a")

  private func keyed(
    _ key: String = "a", kind: JobKind = "deposit", window: KeyWindow = .seconds(3_600), reply: ReplyAddress? = nil
  ) -> Submission {
    Submission(id: JobID(), kind: kind, key: SubmissionKey(text: key, window: window), reply: reply)
  }

  @Test(
    "the job is cancelled, the key is free, and nothing of the last use counts for the next one",
    arguments: [KeyWindow.seconds(3_600), .whileLive])
  func whileItRuns(window: KeyWindow) async throws {
    let books = try await Books()
    let first = try await books.release(keyed(window: window, reply: .other))
    #expect(try await books.bookkeeper.beginWaiting(KeyQuestion(key, limit: .seconds(9)), .test, at: .zero) == nil)
    let operation = try #require(try await books.bookkeeper.resetKeys("deposit", "a"))
    #expect(operation.changed == 1 && operation.finished != nil && operation.key == "a")
    #expect(try await books.failure(first.job) == "cancelled")
    let told = try await books.told()
    #expect(told.replies(to: .other).last?.isCancelled == true, "whoever submitted it is told")
    #expect(told.keyPolls == [key])
    var status = try await books.bookkeeper.keyStatus(key)
    #expect(status.job == nil && status.outcome == nil && !status.isTaken, "as if nobody had used it")
    let second = try await books.release(keyed(window: window))
    // The worker of the first one had not heard of it.
    try await books.succeed(first)
    status = try await books.bookkeeper.keyStatus(key)
    #expect(status.job == second.job && status.outcome == nil && status.isTaken)
    #expect(try await books.told().keyPolls.isEmpty)
    try await books.fail(second, isPermanent: true)
    #expect(try await books.bookkeeper.keyStatus(key).state == .failed)
  }

  @Test("an outcome that is kept is forgotten, also one whose job is removed; other keys and jobs stay")
  func afterwards() async throws {
    let books = try await Books(retention: .everything)
    try await books.succeed(try await books.release(keyed()))
    _ = try await books.told()
    let other = try await books.release(keyed("b"))
    try await books.retain()
    #expect(try await books.bookkeeper.keyStatus(key).outcome != nil)
    let operation = try #require(try await books.bookkeeper.resetKeys("deposit", "a"))
    #expect(operation.changed == 0 && operation.finished != nil)
    #expect(try await books.bookkeeper.keyStatus(key).job == nil)
    #expect(try await books.bookkeeper.keyStatus(JobKey(kind: "deposit", key: "b")).job == other.job)
    try await books.accept(keyed(reply: .other))
    #expect(try await books.told().replies(to: .other) == [.accepted])
    #expect(try await books.bookkeeper.listKeys(KeyQuery()).keys.map(\.key) == ["a", "b"])
  }

  @Test("a command that comes again does not reset a key that was used since, also for the next coordinator")
  func comesAgain() async throws {
    let books = try await Books()
    _ = try await books.release(keyed())
    let command = UUID()
    let first = try #require(try await books.bookkeeper.resetKeys("deposit", "a", command: command))
    let second = try await books.release(keyed())
    for books in [books, try await books.succeeded()] {
      #expect(try await books.bookkeeper.resetKeys("deposit", "a", command: command)?.id == first.id)
      #expect(try await books.bookkeeper.keyStatus(key).job == second.job)
      #expect(try await books.state(second.job)?.isFinal == false)
    }
  }

  @Test(
    "all keys of a kind are free at once; their jobs are cancelled in steps, which the next coordinator goes on with")
  func wholeKind() async throws {
    let books = try await Books()
    _ = try await books.bookkeeper.setPaused("work", true)
    let count = 2 * ResettingKeys.stepLimit + 50
    let keyless = Submission(id: JobID(), kind: "deposit")
    try await books.accept((0..<count).map { keyed("key \($0)") } + [keyless, keyed(kind: "loan")])
    let operation = try #require(try await books.bookkeeper.resetKeys("deposit", nil))
    #expect(operation.finished == nil && operation.changed == ResettingKeys.stepLimit)
    let last = JobKey(kind: "deposit", key: "key \(count - 1)")
    #expect(try await books.bookkeeper.keyStatus(last).job == nil)
    #expect(try await books.bookkeeper.listKeys(KeyQuery(limit: 1_000)).keys.map(\.kind) == ["loan"])
    let next = keyed(last.key)
    try await books.accept(next)
    let later = try await books.succeeded()
    try await later.doChores()
    let ended = try #require(try await later.bookkeeper.operationDocument(operation.id))
    #expect(ended.finished != nil && ended.changed == count)
    #expect(try await later.state(keyless.id) == .held)
    #expect(try await later.bookkeeper.keyStatus(last).job == next.id)
    #expect(try await later.state(next.id) == .held)
    #expect(try await later.bookkeeper.keyStatus(JobKey(kind: "loan", key: "a")).isTaken)
    let kept = try await later.ledger.read { try $0.keys(of: "deposit", after: nil, limit: 9) }
    #expect(kept.map(\.position) == [last], "nothing is left of those that were reset")
  }

  @Test("a job that goes on after its key was given back is cancelled, too")
  func freedBefore() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    _ = try await books.bookkeeper.freeKey("deposit", "a")
    let second = try await books.release(keyed())
    #expect(try await books.bookkeeper.resetKeys("deposit", "a")?.changed == 2)
    for job in [first.job, second.job] { #expect(try await books.failure(job) == "cancelled") }
  }
}

extension Reply.Content {
  fileprivate var isCancelled: Bool {
    if case .outcome(.cancelled) = self { true } else { false }
  }
}
