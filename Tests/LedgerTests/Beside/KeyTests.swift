import JobModel
import Testing

@testable import Ledger

@Suite("keys")
struct KeyTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func keyed(_ key: String) -> NewJob {
    var job = NewJob.queued()
    job.job.key = key
    return job
  }

  @Test("a key belongs to one job of a kind, until it is freed")
  func holder() async throws {
    try await temporary.with { ledger async throws in
      let job = keyed("invoice 7 ✓")
      try ledger.write { transaction throws in
        #expect(try transaction.keyHolder("deposit", "invoice 7 ✓") == nil)
        let number = try transaction.acceptNew(job)
        try transaction.takeKey("deposit", "invoice 7 ✓", job: job.id, until: .test(50))
        let record = KeyRecord(job: job.id, until: .test(50), state: .queued, outcome: nil)
        #expect(try transaction.keyHolder("deposit", "invoice 7 ✓") == record)
        #expect(record.isJobKnown)
        #expect(try transaction.keyHolder("loan", "invoice 7 ✓") == nil)
        #expect(record.isTaken(at: .test(99)), "its job has not ended")
        try transaction.end(number)
        let ended = try #require(try transaction.keyHolder("deposit", "invoice 7 ✓"))
        #expect(ended.isTaken(at: .test(49)))
        #expect(!ended.isTaken(at: .test(50)))
        #expect(try transaction.freeKey("deposit", "invoice 7 ✓"))
        #expect(try !transaction.freeKey("deposit", "invoice 7 ✓"))
        #expect(try transaction.job(job.id)?.key == "invoice 7 ✓")
      }
    }
  }

  static let outcomes: [Outcome] = [
    .succeeded(result: [1, 2], contentType: "text/plain"), .failed(JobFailure(code: "x", message: "y")),
  ]

  @Test("the outcome of a job that retention removes stays with its key", arguments: outcomes)
  func outlives(outcome: Outcome) async throws {
    try await temporary.with { ledger async throws in
      let (job, other) = (keyed("a"), keyed("b"))
      try ledger.write { transaction throws in
        for (job, key) in [(job, "a"), (other, "b")] {
          let number = try transaction.acceptNew(job)
          try transaction.takeKey("deposit", key, job: job.id, until: .test(5_000))
          try transaction.end(number, outcome)
        }
        // Taken by somebody else meanwhile: that one's outcome is not the old job's.
        try transaction.takeKey("deposit", "b", job: JobID(), until: .test(5_000))
        try transaction.markSent(upTo: 2)
        #expect(try transaction.remove(endedBefore: .test(1_000), limit: 9).removed == 2)
        let kept = KeyRecord(job: job.id, until: .test(5_000), state: nil, outcome: outcome)
        #expect(try transaction.keyHolder("deposit", "a") == kept)
        #expect(try transaction.keyHolder("deposit", "b")?.outcome == nil)
      }
      #expect(try await ledger.read { try $0.keyHolder("deposit", "a") }?.outcome == outcome)
    }
  }

  @Test("a key outlives its window with a job that is held, and with one that is queued")
  func live() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for (key, job) in [("held", NewJob.held()), ("queued", NewJob.queued())] {
          _ = try transaction.acceptNew(job)
          try transaction.takeKey("deposit", key, job: job.id, until: .test(1))
        }
        #expect(try transaction.expireKeys(at: .test(3), limit: 9).looked == 2)
        #expect(try transaction.keyHolder("deposit", "held")?.state == .held)
        #expect(try transaction.keyHolder("deposit", "queued")?.state == .queued)
      }
    }
  }

  @Test(
    "a key is given back after its window, and never before its job has ended, nor does that one keep others waiting")
  func expiry() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let running = keyed("running")
        let number = try transaction.acceptNew(running)
        try transaction.takeKey("deposit", "running", job: running.id, until: .test(1))
        for (index, key) in ["x", "y", "z"].enumerated() {
          try transaction.takeKey("deposit", key, job: JobID(), until: .test(Int64(index) + 2))
        }
        #expect(try transaction.expireKeys(at: .test(3), limit: 1).looked == 1, "looked at, and not given back")
        #expect(try transaction.expireKeys(at: .test(3), limit: 9).looked == 2)
        #expect(try transaction.keyHolder("deposit", "y") == nil)
        #expect(try transaction.keyHolder("deposit", "z") != nil)
        #expect(try transaction.keyHolder("deposit", "running")?.until == .test(1))
        try transaction.end(number)
        let later = Timestamp.test(3) + LedgerTransaction.keyRecheck
        #expect(try transaction.expireKeys(at: later, limit: 9).looked == 2)
        #expect(try transaction.keyHolder("deposit", "running") == nil)
      }
    }
  }
}

@Suite("keys that are reset")
struct KeyResetTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// Jobs with a key that have succeeded, whose keys are taken.
  private func end(_ keys: [String], _ transaction: LedgerTransaction) throws -> [JobID] {
    try keys.map { key in
      var job = NewJob.queued()
      job.job.key = key
      let number = try transaction.acceptNew(job)
      try transaction.takeKey("deposit", key, job: job.id, until: .test(5_000))
      try transaction.end(number)
      return job.id
    }
  }

  @Test("a reset counts for jobs up to its number, for one key or for all of the kind")
  func numbers() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let first = try end(["a", "b"], transaction)
        #expect(try transaction.lastJob(withKey: "a", of: "deposit")?.id == first[0])
        try transaction.forgetKeys("deposit", "a", upTo: 2, at: .test(1))
        #expect(try transaction.lastJob(withKey: "a", of: "deposit") == nil)
        #expect(try transaction.keyHolder("deposit", "a") == nil)
        #expect(try transaction.keyHolder("deposit", "b")?.job == first[1])
        let next = try end(["a"], transaction)
        #expect(try transaction.lastJob(withKey: "a", of: "deposit")?.id == next[0])
        try transaction.forgetKeys("deposit", nil, upTo: 3, at: .test(2))
        for key in ["a", "b"] { #expect(try transaction.keyHolder("deposit", key) == nil) }
        for left in [1, 1, 0] {
          #expect(try transaction.removeResetKeys("deposit", upTo: 3, limit: 1).count == left)
        }
      }
      #expect(try await ledger.read { try $0.keys(of: nil, after: nil, limit: 9) }.isEmpty)
    }
  }

  @Test("a reset is forgotten when no job is left that had the key before, and not earlier")
  func forgotten() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(.queued())
        _ = try end(["a"], transaction)
        try transaction.forgetKeys("deposit", "a", upTo: 2, at: .test(1))
        try transaction.forgetKeys("deposit", nil, upTo: 2, at: .test(1))
        func resets() throws -> Int { try transaction.statements.first("SELECT count(*) FROM key_reset") ?? 0 }
        _ = try transaction.remove(endedBefore: .test(1_000), limit: 9)
        #expect(try resets() == 2, "nobody has read the notification: the job stays")
        try transaction.markSent(upTo: 1)
        _ = try transaction.remove(endedBefore: .test(1_000), limit: 9)
        #expect(try resets() == 1, "the job with the key is gone, and an older one of the kind is there")
        try transaction.end(number)
        try transaction.markSent(upTo: 2)
        _ = try transaction.remove(endedBefore: .test(1_000), limit: 9)
        #expect(try resets() == 0)
      }
    }
  }
}
