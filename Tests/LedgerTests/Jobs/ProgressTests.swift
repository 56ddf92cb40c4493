import JobModel
import Ledger
import Testing

@Suite("progress and confirmed releases")
struct ProgressTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("a release is unconfirmed until it is marked, and again when it is released anew")
  func confirmed() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      let number = try ledger.write { try $0.acceptNew(job) }
      #expect(try ledger.write { try $0.released() }.map(\.isConfirmed) == [false])
      try ledger.write { try $0.markConfirmed([(number: number, release: 1)]) }
      #expect(try ledger.write { try $0.released() }.map(\.isConfirmed) == [true])
      var progress = job.job.progress
      _ = progress.apply(.claimGranted)
      try ledger.write { try $0.save(progress, of: number, releasedAt: nil) }
      #expect(try ledger.write { try $0.released() }.map(\.isConfirmed) == [true], "a grant keeps the release")
      _ = progress.apply(.foundLost)
      try ledger.write { try $0.save(progress, of: number, releasedAt: .test(9)) }
      let released = try ledger.write { try $0.released() }
      #expect(released.map(\.isConfirmed) == [false])
      #expect(released.map(\.job.progress) == [progress])
      #expect(released.map(\.job.releasedAt) == [.test(9)])
    }
  }

  @Test("a confirm of an earlier release, or of a job that has ended, marks nothing")
  func staleConfirm() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      try ledger.write { try $0.markConfirmed([(number: number, release: 7), (number: 99, release: 1)]) }
      #expect(try ledger.write { try $0.released() }.map(\.isConfirmed) == [false])
      try ledger.write { try $0.end(number) }
      try ledger.write { try $0.markConfirmed([(number: number, release: 1)]) }
      #expect(try ledger.write { try $0.released() } == [])
    }
  }

  @Test("queued jobs are found again in the order of their releases")
  func releaseOrder() async throws {
    try await temporary.with { ledger async throws in
      let numbers = try ledger.write { transaction in
        try [30, 10, 20, 10].map { try transaction.acceptNew(.queued(at: $0)) }
      }
      let released = try ledger.write { try $0.released() }
      #expect(released.map(\.job.number) == [1, 3, 2, 0].map { numbers[$0] })
    }
  }

  @Test("a job that has its outcome, or is not there, cannot be saved")
  func finalStays() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      try ledger.write { try $0.end(number) }
      let progress = JobProgress(maxAttempts: 3)
      #expect(throws: LedgerError.self) { try ledger.write { try $0.save(progress, of: number, releasedAt: nil) } }
      #expect(throws: LedgerError.self) { try ledger.write { try $0.save(progress, of: 99, releasedAt: nil) } }
      #expect(try ledger.write { try $0.job(number: number) }?.progress.state == .succeeded)
    }
  }

  @Test("a job is ended with an outcome, never saved as ended")
  func savedAsFinal() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      let progress = JobProgress(state: .failed, attempt: 1, maxAttempts: 1, release: 1, token: 1)
      #expect(throws: LedgerError.self) { try ledger.write { try $0.save(progress, of: number, releasedAt: nil) } }
    }
  }

  @Test("running is only known in memory: it is recorded as queued")
  func running() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      let progress = JobProgress(
        state: .running, attempt: 1, maxAttempts: 3, release: 1, token: 1, seenRunning: true)
      try ledger.write { try $0.save(progress, of: number, releasedAt: nil) }
      let job = try ledger.write { try $0.job(number: number) }
      #expect(job?.progress == JobProgress(state: .queued, attempt: 1, maxAttempts: 3, release: 1, token: 1))
    }
  }
}
