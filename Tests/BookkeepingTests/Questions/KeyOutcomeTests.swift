import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The outcome of a key, for whoever asks")
struct KeyOutcomeTests {
  private let key = JobKey(kind: "deposit", key: "a")
  private let done = Outcome.succeeded(result: [1], contentType: nil)

  private func keyed(_ key: String = "a", window: KeyWindow = .seconds(3_600)) -> Submission {
    Submission(id: JobID(), kind: "deposit", key: SubmissionKey(text: key, window: window), reply: .test)
  }

  private func ask(_ books: Books, limit: Duration = .seconds(10)) async throws -> KeyStatus? {
    try await books.bookkeeper.beginWaiting(KeyQuestion(key, limit: limit), .test, at: .zero)
  }

  @Test("asked before, while and after: it waits for the first use, and for its end, and then it is there at once")
  func beforeWhileAndAfter() async throws {
    let books = try await Books()
    #expect(try await ask(books, limit: .zero)?.job == nil, "who only looks does not wait")
    #expect(try await ask(books) == nil)
    let job = try await books.release(keyed())
    #expect(try await books.told().keyPolls.isEmpty)
    #expect(try await ask(books) == nil)
    #expect(try await ask(books, limit: .zero)?.waiting == 3, "two requests, and the submitter")
    _ = try await books.release(keyed("b"))
    try await books.succeed(job)
    #expect(try await books.told().keyPolls == [key, key])
    #expect(try await ask(books)?.outcome == done)
    try await books.bookkeeper.tick(at: .seconds(99), isBlocked: false)
    #expect(try await books.told().keyPolls.isEmpty, "who was answered does not wait")
  }

  @Test("a request that has waited long enough is answered, and waits no longer")
  func expired() async throws {
    let books = try await Books()
    #expect(try await ask(books) == nil)
    try await books.bookkeeper.tick(at: .seconds(9), isBlocked: false)
    #expect(try await books.told().keyPolls.isEmpty)
    try await books.bookkeeper.tick(at: .seconds(10), isBlocked: false)
    #expect(try await books.told().keyPolls == [key])
    try await books.succeed(try await books.release(keyed()))
    #expect(try await books.told().keyPolls.isEmpty)
  }

  @Test("when too many wait, those who would wait are told so, and those whose outcome is there are answered")
  func tooMany() async throws {
    let books = try await Books()
    for _ in 0..<KeyPolls.limit { #expect(try await ask(books) == nil) }
    await #expect(throws: JobFailure.self) { try await ask(books) }
    let job = try await books.release(keyed())
    try await books.succeed(job)
    #expect(try await ask(books)?.outcome == done)
  }

  @Test("the outcome stays as long as the key is taken, also without the record of its job, and across coordinators")
  func withoutTheJob() async throws {
    let books = try await Books(retention: .everything)
    let job = try await books.release(keyed())
    try await books.succeed(job)
    _ = try await books.told()
    try await books.retain()
    #expect(try await books.job(job.job) == nil)
    for books in [books, try await books.succeeded()] {
      let status = try #require(try await ask(books))
      #expect(status.outcome == done && status.isTaken && status.job == job.job && status.until != nil)
    }
  }

  @Test("a key that is given back keeps the outcome of its job until the next use")
  func freed() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    #expect(try await books.bookkeeper.freeKey("deposit", "a").wasTaken)
    let running = try await books.bookkeeper.keyStatus(key)
    #expect(!running.isTaken && running.job == first.job && running.outcome == nil)
    try await books.succeed(first)
    #expect(try await books.bookkeeper.keyStatus(key).outcome == done)
    #expect(try await !books.bookkeeper.freeKey("deposit", "a").wasTaken)
    let second = try await books.release(keyed())
    #expect(try await books.bookkeeper.keyStatus(key).job == second.job)
  }
}

extension [Outgoing] {
  /// The keys of the requests that are to be answered.
  var keyPolls: [JobKey] { compactMap { if case .keyPolled(let poll) = $0 { poll.key } else { nil } } }
}
