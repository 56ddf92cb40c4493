import JobModel
import Ledger
import Testing

@Suite("accepting jobs")
struct AcceptanceTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("a job comes back with everything it was accepted with")
  func roundTrip() async throws {
    var new = NewJob.queued(kind: "loan", in: "loans", priority: 7, payload: [0, 1, 255], at: 5)
    new.content.contentType = "application/octet-stream"
    new.job.plan = JobID()
    new.job.step = "login ✓"
    new.order = OrderPlace(plan: 3, rank: 2, position: 1)
    new.job.reply = ReplyAddress(replyTo: "teller.reply.x", correlationID: "c1", wait: .outcome)
    new.content.trace = TraceContext(traceparent: "00-ab", tracestate: "k=v")
    new.job.submittedAt = .test(-9)
    new.job.startBy = .test(900)
    new.job.timeout = .milliseconds(1_500)
    new.job.key = "k ✓"
    new.job.againOf = JobID()
    let job = new
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(job) }
      let expected = Job(
        number: number, id: job.id, kind: "loan", department: "loans", priority: 7, progress: job.job.progress,
        order: OrderKey(plan: 3, rank: 2, position: 1), plan: job.job.plan, step: "login ✓", startBy: .test(900),
        timeout: .milliseconds(1_500), key: "k ✓", againOf: job.job.againOf, reply: job.job.reply,
        submittedAt: .test(-9), acceptedAt: .test(5), releasedAt: .test(5))
      #expect(try ledger.write { try $0.job(job.id) } == expected)
      #expect(try ledger.write { try $0.job(number: number) } == expected)
      #expect(try await ledger.read { try $0.job(job.id) } == expected)
      let content = JobContent(payload: [0, 1, 255], contentType: "application/octet-stream", trace: job.content.trace)
      #expect(try ledger.write { try $0.content(of: number) } == content)
    }
  }

  @Test("a job accepted twice is one job, and keeps its first payload")
  func idempotence() async throws {
    try await temporary.with { ledger async throws in
      let id = JobID()
      let first = try ledger.write { try $0.acceptNew(.queued(id, payload: [1])) }
      let again = try ledger.write { try $0.accept(.queued(id, kind: "other", payload: [2])) }
      guard case .known(let known) = again else { throw Unexpected("it was accepted twice") }
      #expect(known.number == first)
      #expect(known.kind == "deposit")
      #expect(try ledger.write { try $0.content(of: first) }?.payload == [1])
      #expect(try ledger.write { try $0.counts() } == ["deposits": [.queued: 1]])
    }
  }

  @Test("a job that was known leaves no gap in the acceptance numbers, within a transaction and after it")
  func numbersHaveNoGaps() async throws {
    try await temporary.with { ledger async throws in
      let id = JobID()
      let numbers = try ledger.write { transaction in
        let first = try transaction.acceptNew(.queued(id))
        _ = try transaction.accept(.queued(id))
        return [first, try transaction.acceptNew(.queued())]
      }
      _ = try ledger.write { try $0.accept(.queued(id)) }
      let last = try ledger.write { try $0.acceptNew(.queued()) }
      #expect(numbers + [last] == [1, 2, 3])
    }
  }

  @Test("a known job is returned with its outcome")
  func knownOutcome() async throws {
    try await temporary.with { ledger async throws in
      let id = JobID()
      let outcome = Outcome.succeeded(result: [7, 8], contentType: "text/plain")
      _ = try ledger.write { try $0.end(try $0.acceptNew(.queued(id)), outcome) }
      guard case .known(let known) = try ledger.write({ try $0.accept(.queued(id)) }) else {
        throw Unexpected("it was accepted twice")
      }
      #expect(known.outcome == outcome)
      #expect(known.progress.state == .succeeded)
    }
  }

  @Test("a payload is kept whole, small or large", arguments: [0, 1, 2_048, 2_049, 3_000_000])
  func payloads(size: Int) async throws {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.held(payload: payload)) }
      #expect(try ledger.write { try $0.content(of: number) }?.payload == payload)
      let held = try ledger.write { try $0.held(in: "deposits", priority: .normal, limit: 1) }
      #expect(held.first?.content.payload == payload)
    }
  }

  @Test("a submission that came again is answered at its newest address")
  func replaceReply() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      let reply = ReplyAddress(replyTo: "teller.reply.y", correlationID: nil, wait: .accepted)
      try ledger.write { try $0.replaceReply(of: number, reply) }
      #expect(try ledger.write { try $0.job(number: number) }?.reply == reply)
      #expect(throws: LedgerError.self) { try ledger.write { try $0.replaceReply(of: 99, reply) } }
    }
  }

  @Test("a transaction that throws leaves nothing behind, and its numbers are given again")
  func rollback() async throws {
    try await temporary.with { ledger async throws in
      let id = JobID()
      #expect(throws: LedgerError.self) {
        try ledger.write { transaction in
          try transaction.end(try transaction.acceptNew(.queued(id)))
          throw Unexpected("stop")
        }
      }
      #expect(try ledger.write { try $0.job(id) } == nil)
      #expect(try ledger.write { try $0.counts() } == [:])
      #expect(try ledger.write { try $0.unsent(limit: 10) } == [])
      #expect(try ledger.write { try $0.acceptNew(.queued()) } == 1)
    }
  }

  @Test("a job cannot be accepted with an outcome")
  func finalIsRefused() async throws {
    try await temporary.with { ledger async throws in
      var job = NewJob.held()
      job.job.progress.state = .succeeded
      let wrong = job
      #expect(throws: LedgerError.self) { try ledger.write { try $0.accept(wrong) } }
    }
  }

  @Test("a big batch is recorded in one transaction")
  func bigBatch() async throws {
    let count = 20_000
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for _ in 0..<count { _ = try transaction.acceptNew(.queued(payload: [1, 2, 3])) }
      }
      let released = try ledger.write { try $0.released() }
      #expect(released.map(\.job.number) == (1...Int64(count)).map { $0 })
    }
  }
}
