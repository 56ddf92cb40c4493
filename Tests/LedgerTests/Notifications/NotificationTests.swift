import JobModel
import Testing

@testable import Ledger

@Suite("notifications")
struct NotificationTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func endJobs(_ count: Int, in ledger: Ledger) throws {
    try ledger.write { transaction in
      for _ in 0..<count { try transaction.end(try transaction.acceptNew(.queued())) }
    }
  }

  @Test("they are numbered without gaps, across transactions")
  func sequence() async throws {
    try await temporary.with { ledger async throws in
      try endJobs(3, in: ledger)
      try endJobs(2, in: ledger)
      #expect(try ledger.write { try $0.unsent(limit: 10) }.map(\.seq) == [1, 2, 3, 4, 5])
    }
  }

  @Test("what is sent is not offered again, and the mark never goes back")
  func sent() async throws {
    try await temporary.with { ledger async throws in
      try endJobs(5, in: ledger)
      #expect(try ledger.write { try $0.unsent(limit: 2) }.map(\.seq) == [1, 2])
      try ledger.write { try $0.markSent(upTo: 4) }
      try ledger.write { try $0.markSent(upTo: 2) }
      #expect(try ledger.write { try $0.unsent(limit: 10) }.map(\.seq) == [5])
      try ledger.write { try $0.markSent(upTo: 5) }
      #expect(try ledger.write { try $0.unsent(limit: 10) } == [])
    }
  }

  @Test("a watcher can ask for any stretch of them, sent or not")
  func stretch() async throws {
    try await temporary.with { ledger async throws in
      try endJobs(6, in: ledger)
      try ledger.write { try $0.markSent(upTo: 3) }
      #expect(try await ledger.read { try $0.notifications(from: 2, limit: 3) }.map(\.seq) == [2, 3, 4])
      #expect(try await ledger.read { try $0.notifications(from: 7, limit: 3) } == [])
    }
  }

  @Test("times that cannot be keep nobody from reading it")
  func damagedTimes() async throws {
    try await temporary.with { ledger async throws in
      try endJobs(1, in: ledger)
      try ledger.write { transaction in
        try transaction.statements.run("UPDATE job SET started_at = ?, finished_at = ?", Int64.min, Int64.max)
      }
      let notification = try #require(try ledger.write { try $0.unsent(limit: 1) }.first)
      #expect(notification.startedAgoMs == .max)
    }
  }

  static let messages = [
    "", "it said \"no\"", "line\nline\ttab", "a\0b", "✓ 🏦 \\", String(repeating: "x", count: 9_000),
  ]

  @Test("what went wrong comes back as it was", arguments: messages)
  func failure(_ message: String) async throws {
    try await temporary.with { ledger async throws in
      let outcome = Outcome.failed(JobFailure(code: "x\0", message: message))
      let told = try ledger.write { try $0.end(try $0.acceptNew(.queued()), outcome) }
      #expect(told.error == outcome.failure)
      #expect(try ledger.write { try $0.unsent(limit: 9) } == [told])
    }
  }

  @Test("one about nothing that is known is told as damage")
  func damagedSubject() async throws {
    try await temporary.with { ledger async throws in
      _ = try ledger.write { try $0.notify("a", about: .rule("r"), at: .test(1)) }
      for subject in ["x''", "x'6A00'", "x'78'", "x'64'"] {
        try ledger.write { _ = try $0.statements.run("UPDATE notification SET subject = \(subject)") }
        let error = #expect(throws: LedgerError.self) { try ledger.write { try $0.unread(by: .stream, limit: 9) } }
        guard case .corrupt = error else { throw Unexpected("\(subject): \(String(describing: error))") }
      }
    }
  }
}
