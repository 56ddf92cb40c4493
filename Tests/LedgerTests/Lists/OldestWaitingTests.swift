import JobModel
import Testing

@testable import Ledger

@Suite("the jobs of a department that have waited longest")
struct OldestWaitingTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func accepted(_ scope: WaitingScope, _ ledger: Ledger) async throws -> [Timestamp] {
    try await ledger.read { try $0.longestWaiting(scope) }.map(\.acceptedAt).sorted()
  }

  @Test("are the first of each priority; a job that waits for a time, or of another department, is none")
  func ready() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for at in [30, 20, 25] { _ = try transaction.acceptNew(.held(at: Int64(at))) }
        _ = try transaction.acceptNew(.held(priority: .highest, at: 40))
        _ = try transaction.acceptNew(.held(in: "elsewhere", at: 1))
        _ = try transaction.acceptNew(.queued(at: 2))
        var delayed = NewJob.held(at: 3)
        delayed.job.notBefore = .test(1_000)
        _ = try transaction.acceptNew(delayed)
      }
      let ready = WaitingScope("deposits", includesReady: true, withheld: [])
      #expect(try await accepted(ready, ledger) == [.test(20), .test(40)])
      let none = WaitingScope("deposits", includesReady: false, withheld: [.handler, .suspect])
      #expect(try await accepted(none, ledger) == [])
    }
  }

  @Test("withheld jobs are looked at by their reason, the first of each kind, and of so many kinds")
  func withheld() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for index in 0..<(LedgerQueries.waitingKindLimit + 5) {
          let kind = try #require(JobKind("kind-\(100 + index)"))
          for at in [500 + index, 100 + index] {
            let number = try transaction.acceptNew(.held(kind: kind, at: Int64(at)))
            #expect(try transaction.withhold(number, .handler))
          }
        }
      }
      let scope = WaitingScope("deposits", includesReady: true, withheld: [.handler])
      let expected = (0..<LedgerQueries.waitingKindLimit).map { Timestamp.test(Int64(100 + $0)) }
      #expect(try await accepted(scope, ledger) == expected)
      let suspects = WaitingScope("deposits", includesReady: true, withheld: [.suspect])
      #expect(try await accepted(suspects, ledger) == [])
    }
  }

  @Test("since when a job waits follows from its standing: its acceptance, or the time that it was scheduled for")
  func readyAt() {
    for priority in Priority.all {
      for worth in [Duration.zero, .seconds(600), .seconds(86_400)] {
        let standing = Standing(readyAt: .test(7), priority: priority, worth: worth)
        #expect(standing.readyAt(priority, worth: worth) == .test(7))
        let moved = standing.moved(from: priority, to: .highest, worth: worth)
        #expect(moved.readyAt(.highest, worth: worth) == .test(7))
      }
    }
  }
}
