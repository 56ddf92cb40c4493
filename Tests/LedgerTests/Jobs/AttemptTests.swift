import JobModel
import Ledger
import Testing

@Suite("attempts")
struct AttemptTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private let timeout = JobFailure(code: "timeout", message: "no answer")

  private func attempt(_ number: Int, _ end: AttemptRecord.End = .failed) -> AttemptRecord {
    AttemptRecord(
      number: number, worker: WorkerID("w\(number)"), startedAt: .test(Int64(number)),
      endedAt: .test(Int64(number) + 5), end: end, failure: timeout)
  }

  @Test("all attempts are told: those that were recorded, and the one that ended the job")
  func all() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction in
        let number = try transaction.acceptNew(job)
        try transaction.record(attempt(1), of: number)
        try transaction.record(attempt(2, .interrupted), of: number)
        let progress = JobProgress(state: .succeeded, attempt: 3, maxAttempts: 3, release: 3, token: 3)
        _ = try transaction.finish(
          number, progress, .succeeded(result: [], contentType: nil), startedAt: .test(50), finishedAt: .test(60),
          ran: .milliseconds(9), by: WorkerID("w3"), of: job.identity)
      }
      let last = AttemptRecord(
        number: 3, worker: WorkerID("w3"), startedAt: .test(50), endedAt: .test(60), end: .succeeded, failure: nil)
      #expect(try await ledger.read { try $0.attempts(of: job.id) } == [attempt(1), attempt(2, .interrupted), last])
    }
  }

  @Test("a record of the last attempt goes before what the outcome says of it")
  func explicitLast() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction in
        let number = try transaction.acceptNew(job)
        let progress = JobProgress(state: .failed, attempt: 1, maxAttempts: 1, release: 1, token: 2)
        _ = try transaction.finish(
          number, progress, .failed(.lost()), startedAt: .test(1), finishedAt: .test(9), ran: nil, by: WorkerID("w1"),
          attempt: attempt(1, .interrupted), of: job.identity)
      }
      #expect(try await ledger.read { try $0.attempts(of: job.id) } == [attempt(1, .interrupted)])
    }
  }

  @Test("an attempt recorded twice stays as it was first")
  func twice() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction in
        let number = try transaction.acceptNew(job)
        try transaction.record(attempt(1), of: number)
        try transaction.record(attempt(1, .interrupted), of: number)
      }
      #expect(try await ledger.read { try $0.attempts(of: job.id) } == [attempt(1)])
    }
  }

  @Test("a job that was never run has no attempts")
  func none() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.held()
      try ledger.write { transaction in
        let number = try transaction.acceptNew(job)
        let progress = JobProgress(state: .cancelled, attempt: 1, maxAttempts: 3, release: 0, token: 0)
        _ = try transaction.finish(
          number, progress, .cancelled(timeout), startedAt: nil, finishedAt: .test(9), ran: nil, by: nil,
          of: job.identity)
      }
      #expect(try await ledger.read { try $0.attempts(of: job.id) } == [])
      #expect(try await ledger.read { try $0.attempts(of: JobID()) } == [])
    }
  }

  @Test("an attempt of a job that is not there is refused: foreign keys are on")
  func foreignKey() async throws {
    try await temporary.with { ledger async throws in
      #expect(throws: LedgerError.self) { try ledger.write { try $0.record(attempt(1), of: 99) } }
    }
  }
}
