import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Coordinator

@Suite("Waiting for outcomes")
struct WaitsTests {
  private let first = JobID()
  private let second = JobID()

  private func wait(for jobs: Set<JobID>, until deadline: Duration = .seconds(10)) -> Waits.Wait {
    Waits.Wait(
      address: AnswerAddress(replyTo: "teller.reply.x", correlationID: "1"), ids: Array(jobs), pending: jobs,
      deadline: deadline)
  }

  @Test("a wait is answered when the last of its jobs has ended")
  func answeredAtTheLast() {
    var waits = Waits()
    #expect(waits.add(wait(for: [first, second])).isEmpty)
    #expect(waits.finished(first).isEmpty)
    #expect(waits.finished(second).count == 1)
    #expect(waits.finished(second).isEmpty)
  }

  @Test("a wait for nothing that is pending is answered at once")
  func answeredAtOnce() {
    var waits = Waits()
    #expect(waits.add(wait(for: [])).count == 1)
  }

  @Test("a wait that reaches its limit is answered with what is known, once")
  func answeredAtTheLimit() {
    var waits = Waits()
    _ = waits.add(wait(for: [first], until: .seconds(5)))
    #expect(waits.expire(at: .seconds(4)).isEmpty)
    #expect(waits.expire(at: .seconds(5)).count == 1)
    #expect(waits.finished(first).isEmpty)
  }

  @Test("waits that have ended leave their room to others")
  func room() {
    var waits = Waits()
    let jobs = (0..<1_000).map { _ in JobID() }
    for _ in 0...(Waits.jobLimit / jobs.count) {
      _ = waits.add(wait(for: Set(jobs)))
      for job in jobs { _ = waits.finished(job) }
    }
    #expect(!waits.isFull)
  }

  @Test("of what was looked up later, only what is pending is waited for")
  func lookedUpLater() {
    var waits = Waits()
    let third = JobID()
    let number = waits.begin(wait(for: [first, second, third]))
    #expect(waits.finished(second).isEmpty, "it ended before anybody had looked")
    #expect(waits.settle(number, allBut: [first, second]).isEmpty)
    #expect(waits.finished(third).isEmpty)
    #expect(waits.finished(first).count == 1)
    #expect(waits.settle(number, allBut: []).isEmpty)
  }

  @Test("a wait of which nothing is pending is answered when that is known; one that is forgotten, never")
  func nothingPending() {
    var waits = Waits()
    #expect(waits.settle(waits.begin(wait(for: [first])), allBut: []).count == 1)
    let number = waits.begin(wait(for: [first]))
    waits.forget(number)
    #expect(waits.finished(first).isEmpty)
    #expect(waits.settle(number, allBut: [first]).isEmpty)
    let early = waits.begin(wait(for: [first]))
    waits.forgetAll()
    let late = waits.begin(wait(for: [second]))
    #expect(waits.settle(early, allBut: []).isEmpty)
    #expect(waits.settle(late, allBut: []).count == 1)
  }

  @Test("an answer waits for jobs and plans that go on, and for nothing that has ended or is unknown")
  func asked() async throws {
    let books = try await Books()
    let jobs = try await books.fillWork(2)
    try await books.succeed(jobs[0])
    _ = try await books.told()
    func ask(_ ids: JobID..., limit: Duration = .seconds(10)) async throws -> [Set<JobID>] {
      let query = WaitQuery(ids: ids, limit: limit)
      #expect(try await books.bookkeeper.wait(query, .test, at: .zero) == nil)
      return try await books.told().compactMap { if case .settled(let wait) = $0 { Set(wait.ids) } else { nil } }
    }
    #expect(try await ask(jobs[0].job, JobID()).count == 1)
    #expect(try await ask(jobs[0].job, jobs[1].job).isEmpty)
    #expect(try await ask(jobs[1].job, limit: .zero).count == 1, "who only looks does not wait")
    try await books.succeed(jobs[1])
    let settled = try await books.told().compactMap { if case .settled(let wait) = $0 { Set(wait.ids) } else { nil } }
    #expect(settled == [Set(jobs.map(\.job))])
  }

  @Test("no more waits are open than their limit")
  func bounded() {
    var waits = Waits()
    for _ in 0..<Waits.limit { _ = waits.add(wait(for: [JobID()])) }
    #expect(waits.isFull)
    _ = waits.expire(at: .seconds(10))
    #expect(!waits.isFull)
  }
}

extension Waits {
  /// A request of which all is pending.
  fileprivate mutating func add(_ wait: Wait) -> [Outgoing] { settle(begin(wait), allBut: wait.pending) }
}
