import JobModel
import Ledger
import Testing

@Suite("outcomes and their notifications")
struct FinishTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  static let outcomes: [Outcome] = [
    .succeeded(result: [], contentType: nil),
    .succeeded(result: [0, 255], contentType: "image/png"),
    .failed(JobFailure(code: "card_refused", message: "the card was refused")),
    .cancelled(JobFailure(code: "cancelled", message: "")),
  ]

  @Test("every outcome is kept, and told once by the notification it returns", arguments: outcomes)
  func outcome(_ outcome: Outcome) async throws {
    try await temporary.with { ledger async throws in
      let new = NewJob.queued(kind: "loan", in: "loans")
      let number = try ledger.write { try $0.acceptNew(new) }
      let told = try ledger.write { try $0.end(number, outcome, at: 100) }
      let expected = Notification(
        seq: 1, job: new.id, kind: "loan", department: "loans", event: outcome.state.rawValue, attempt: 1,
        at: .test(100), startedAgoMs: 20, runMs: 15, error: outcome.failure)
      #expect(told == expected)
      #expect(try ledger.write { try $0.unsent(limit: 10) } == [expected])
      #expect(try await ledger.read { try $0.notifications(from: 1, limit: 10) } == [expected])
      let job = try #require(try await ledger.read { try $0.job(new.id) })
      #expect(job.outcome == outcome)
      #expect(job.progress.state == outcome.state)
      #expect(job.startedAt == .test(80))
      #expect(job.finishedAt == .test(100))
      #expect(job.ran == .milliseconds(15))
    }
  }

  @Test("a second outcome changes nothing, and the first notification is returned")
  func unique() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      let first = try ledger.write { try $0.end(number, .succeeded(result: [1], contentType: nil)) }
      let failure = Outcome.failed(JobFailure(code: "late", message: "too late"))
      let second = try ledger.write { try $0.end(number, failure, at: 500) }
      #expect(second == first)
      #expect(try ledger.write { try $0.unsent(limit: 10) } == [first])
      #expect(try ledger.write { try $0.job(number: number) }?.outcome == .succeeded(result: [1], contentType: nil))
      #expect(try ledger.write { try $0.counts() } == ["deposits": [.succeeded: 1]])
    }
  }

  @Test("a job that is not there cannot end, and takes no number")
  func unknown() async throws {
    let nobody = JobIdentity(id: JobID(), kind: "deposit", department: "deposits")
    try await temporary.with { ledger async throws in
      #expect(throws: LedgerError.self) { try ledger.write { try $0.end(99, of: nobody) } }
      try ledger.write { transaction throws in
        #expect(throws: LedgerError.self) { try transaction.end(99, of: nobody) }
        #expect(try transaction.end(try transaction.acceptNew(.queued())).seq == 1)
      }
    }
  }

  @Test("a held job can be cancelled, and leaves the held ones")
  func cancelHeld() async throws {
    try await temporary.with { ledger async throws in
      let new = NewJob.held()
      let number = try ledger.write { try $0.acceptNew(new) }
      let reason = JobFailure(code: "cancelled", message: "by hand")
      let progress = JobProgress(state: .cancelled, attempt: 1, maxAttempts: 3, release: 0, token: 0)
      let told = try ledger.write {
        try $0.finish(
          number, progress, .cancelled(reason), startedAt: nil, finishedAt: .test(9), ran: nil, by: nil,
          of: new.identity)
      }
      #expect(told.startedAgoMs == nil)
      #expect(told.runMs == nil)
      #expect(try ledger.write { try $0.heldCounts() } == [:])
      #expect(try ledger.write { try $0.counts() } == ["deposits": [.cancelled: 1]])
    }
  }

  @Test("a run is kept to the microsecond")
  func microseconds() async throws {
    try await temporary.with { ledger async throws in
      let new = NewJob.queued()
      let number = try ledger.write { try $0.acceptNew(new) }
      let progress = JobProgress(state: .succeeded, attempt: 1, maxAttempts: 3, release: 1, token: 1)
      _ = try ledger.write {
        try $0.finish(
          number, progress, .succeeded(result: [], contentType: nil), startedAt: .test(1), finishedAt: .test(1),
          ran: .microseconds(70), by: nil, of: new.identity)
      }
      #expect(try ledger.write { try $0.job(number: number) }?.ran == .microseconds(70))
    }
  }

  @Test("jobs that ended stay counted, in each department by state")
  func counts() async throws {
    try await temporary.with { ledger async throws in
      let failure = Outcome.failed(JobFailure(code: "x", message: ""))
      for _ in 0..<2 {
        try ledger.write { transaction in
          try transaction.end(try transaction.acceptNew(.queued()))
          try transaction.end(try transaction.acceptNew(.queued()), failure)
          try transaction.end(try transaction.acceptNew(.queued(in: "loans")))
          _ = try transaction.acceptNew(.held(in: "loans"))
        }
      }
      let expected: [Department: [JobState: Int]] = [
        "deposits": [.succeeded: 2, .failed: 2], "loans": [.held: 2, .succeeded: 2],
      ]
      #expect(try ledger.write { try $0.counts() } == expected)
    }
  }
}
