import Foundation
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Keys in the books")
struct KeyBooksTests {
  private let done = Reply.Content.outcome(.succeeded(result: [1], contentType: nil))

  private func keyed(
    _ key: String = "invoice 7", window: KeyWindow = .seconds(3_600), reply: ReplyAddress? = .test, id: JobID = JobID()
  ) -> Submission {
    Submission(id: id, kind: "deposit", key: SubmissionKey(text: key, window: window), reply: reply)
  }

  @Test("a second job with the key runs nothing, and both are told the outcome of the first")
  func repeated() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    let second = keyed(reply: .other)
    try await books.accept(second)
    let told = try await books.told()
    #expect(told.assignments.isEmpty)
    #expect(told.replies(to: .other) == [.duplicate])
    #expect(try await books.job(second.id) == nil)
    try await books.succeed(first)
    let ended = try await books.told()
    #expect(ended.replies(to: .test) == [done])
    #expect(ended.replies(to: .other) == [done])
  }

  @Test("one that comes after the end is told the outcome at once")
  func afterTheEnd() async throws {
    let books = try await Books()
    try await books.succeed(try await books.release(keyed()))
    _ = try await books.told()
    try await books.accept(keyed(reply: .other))
    #expect(try await books.told().replies == [.duplicate, done])
  }

  @Test("a command that gives a key back and comes again does not take it from who has it by then")
  func freedOnce() async throws {
    let books = try await Books()
    let command = UUID()
    _ = try await books.release(keyed())
    #expect(try await books.bookkeeper.freeKey("deposit", "invoice 7", command: command).wasTaken)
    _ = try await books.release(keyed())
    #expect(try await books.bookkeeper.freeKey("deposit", "invoice 7", command: command).wasTaken)
    try await books.accept(keyed(reply: .other))
    #expect(try await books.told().replies(to: .other) == [.duplicate])
    #expect(try await books.bookkeeper.freeKey("deposit", "invoice 7", command: UUID()).wasTaken)
    #expect(try await !books.bookkeeper.freeKey("deposit", "invoice 7", command: UUID()).wasTaken)
  }

  @Test("a command with the id of another one gives its own key back")
  func freedByUsedCommand() async throws {
    let books = try await Books()
    let command = UUID()
    _ = try await books.release(keyed())
    _ = try await books.release(keyed("invoice 8"))
    for key in ["invoice 7", "invoice 8"] {
      #expect(try await books.bookkeeper.freeKey("deposit", key, command: command).wasTaken)
    }
    for key in ["invoice 7", "invoice 8"] { _ = try await books.release(keyed(key)) }
  }

  @Test("another key, and the same key of another kind, have nothing to do with it")
  func others() async throws {
    let books = try await Books()
    _ = try await books.release(keyed())
    _ = try await books.release(keyed("invoice 8"))
    var other = keyed()
    other.kind = "loan"
    _ = try await books.release(other)
  }

  @Test("a key is taken until its job has ended, however short its window is, and then it is free")
  func window() async throws {
    let books = try await Books()
    let first = try await books.release(keyed(window: .lasting(.zero)))
    try await books.accept(keyed())
    #expect(try await books.told().assignments.isEmpty)
    try await books.succeed(first)
    _ = try await books.told()
    _ = try await books.release(keyed())
  }

  @Test("a key that is given back is free at once, and its job goes on")
  func freed() async throws {
    let books = try await Books()
    let first = try await books.release(keyed())
    #expect(try await books.bookkeeper.freeKey("deposit", "invoice 7").wasTaken)
    #expect(try await !books.bookkeeper.freeKey("deposit", "invoice 7").wasTaken)
    _ = try await books.release(keyed())
    try await books.succeed(first)
    #expect(try await books.state(first.job) == .succeeded)
  }

  @Test("after its job's row is removed the key still tells the outcome, also to the submission that took it")
  func removed() async throws {
    let books = try await Books(retention: .everything)
    let first = try await books.release(keyed())
    try await books.succeed(first)
    _ = try await books.told()
    try await books.retain()
    #expect(try await books.job(first.job) == nil)
    for id in [JobID(), first.job] {
      try await books.accept(keyed(reply: .other, id: id))
      let told = try await books.told()
      #expect(told.assignments.isEmpty)
      #expect(told.replies == [.duplicate, done])
    }
  }
}
