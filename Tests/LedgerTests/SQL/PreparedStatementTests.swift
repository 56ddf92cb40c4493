import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("statements that run for every job")
struct PreparedStatementTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  static let texts = [
    "", "a", "fifteen bytes..", "sixteen bytes...", "mot dièse ✓ 🏦", "a\0b", String(repeating: "x", count: 70_000),
  ]

  @Test("a text comes back as it was, with nothing of the job before it", arguments: texts)
  func text(_ text: String) async throws {
    try await temporary.with { ledger async throws in
      var job = NewJob.queued()
      job.content.contentType = text
      job.content.trace = TraceContext(traceparent: text, tracestate: nil)
      let (first, second) = try ledger.write { [job] in (try $0.acceptNew(job), try $0.acceptNew(.queued())) }
      let content = try ledger.write { try $0.content(of: first) }
      #expect(content?.contentType == text && content?.trace.traceparent == text && content?.trace.tracestate == nil)
      let next = try ledger.write { try $0.content(of: second) }
      #expect(next?.contentType == nil && next?.trace == TraceContext())
    }
  }

  @Test("a payload and a result come back as they were, however large", arguments: [0, 1, 2_048, 2_049, 300_000])
  func bytes(_ count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await temporary.with { ledger async throws in
      let number = try ledger.write { transaction in
        let number = try transaction.acceptNew(.queued(payload: bytes))
        try transaction.end(number, .succeeded(result: bytes, contentType: nil))
        return number
      }
      #expect(try ledger.write { try $0.content(of: number) }?.payload == bytes)
      let job = try #require(try ledger.write { try $0.job(number: number) })
      #expect(job.outcome == .succeeded(result: bytes, contentType: nil))
    }
  }

  @Test("nothing is written after SQLite has undone the transaction, also when that was overlooked")
  func undone() async throws {
    try await temporary.with { ledger async throws in
      #expect(throws: LedgerError.self) {
        try ledger.write { transaction in
          _ = try transaction.acceptNew(.queued())
          try transaction.statements.run("ROLLBACK")
          let later = Result { try transaction.acceptNew(.queued()) }
          guard case .failure = later else { throw Unexpected("it was accepted outside of the transaction") }
        }
      }
      #expect(try ledger.write { try $0.counts() } == [:])
      #expect(try ledger.write { try $0.acceptNew(.queued()) } == 1, "the ledger goes on")
    }
  }

  @Test("a disk that gets full under a job undoes the transaction, and the ledger goes on when there is room")
  func full() async throws {
    try await temporary.with { ledger async throws in
      let pages = try #require(try ledger.write { try $0.statements.first("PRAGMA page_count") { try $0[0] as Int64 } })
      try limit(ledger, toPages: pages + 20)
      // In the job's own row, so that it is the hot statement that fails.
      let payload = [UInt8](repeating: 1, count: LedgerTransaction.inlinePayload)
      for _ in 0..<2 {
        let error = #expect(throws: LedgerError.self) {
          try ledger.write { transaction in
            let result = Result { for _ in 0..<1_000 { _ = try transaction.acceptNew(.queued(payload: payload)) } }
            #expect(!transaction.statements.database.isInsideTransaction, "SQLite has undone it by itself")
            try result.get()
          }
        }
        #expect(error == .full(path: ledger.path))
        #expect(try ledger.write { try $0.released() } == [])
      }
      try limit(ledger, toPages: 1_000_000)
      let number = try ledger.write { try $0.acceptNew(.queued(payload: payload)) }
      #expect(number == 1)
      #expect(try ledger.write { try $0.end(number) }.seq == 1)
    }
  }

  private func limit(_ ledger: Ledger, toPages pages: Int64) throws {
    _ = try ledger.write { try $0.statements.first("PRAGMA max_page_count = \(pages)") { try $0[0] as Int64 } }
  }

  @Test("what SQLite refuses is an error, and the same statement works again afterwards")
  func refused() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { transaction in
        let first = try transaction.acceptNew(.queued())
        try transaction.end(first)
        return try transaction.acceptNew(.queued())
      }
      var refusal: (any Error)?
      #expect(throws: LedgerError.self) {
        try ledger.write { transaction in
          _ = try transaction.nextNotification()
          transaction.useNotification(0)
          do { try transaction.end(number) } catch {
            refusal = error
            throw error
          }
        }
      }
      let error = try #require(refusal as? DatabaseError, "two ends have one number")
      #expect(error.resultCode == .SQLITE_CONSTRAINT)
      #expect(error.sql == nil)
      #expect(try ledger.write { try $0.end(number) }.seq == 2)
    }
  }

  @Test("a read ends with its next statement once its task is cancelled, and a write is done to its end")
  func cancelled() async throws {
    try await temporary.with { ledger async throws in
      let reading = Task {
        try await ledger.read { queries in
          withUnsafeCurrentTask { $0?.cancel() }
          return try queries.job(JobID())
        }
      }
      let error = await #expect(throws: LedgerError.self) { try await reading.value }
      #expect(error == .cancelled)
      let writing = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try ledger.write { try $0.acceptNew(.queued()) }
      }
      #expect(try await writing.value == 1)
    }
  }
}
