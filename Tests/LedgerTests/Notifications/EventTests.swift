import JobModel
import Testing

@testable import Ledger

@Suite("notifications that are no outcomes, and those who read them")
struct EventTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private let rules = NotificationReader("rules")

  @Test("a job can have several, and other things have some; all are in one sequence")
  func several() async throws {
    try await temporary.with { ledger async throws in
      let (job, plan) = (NewJob.queued(), JobID())
      let written = try ledger.write { transaction throws in
        let number = try transaction.acceptNew(job)
        let retried = try transaction.notify("retried", about: .job(job.id), body: "{\"attempt\":1}", at: .test(1))
        let outcome = try transaction.end(number)
        #expect(outcome.seq == 2)
        let others = try [
          transaction.notify("succeeded", about: .plan(plan), at: .test(2)),
          transaction.notify("paused", about: .department("deposits"), at: .test(3)),
          transaction.notify("alarm", about: .rule("näme"), body: "", at: .test(4)),
        ]
        return [retried] + others
      }
      #expect(written.map(\.number) == [1, 3, 4, 5])
      #expect(written.map(\.epoch) == [1, 1, 1, 1])
      let read = try await ledger.read { try $0.allNotifications(from: 1, limit: 9) }
      #expect(read.filter { $0.number != 2 } == written)
      #expect(read.map(\.subject)[1] == .job(job.id) && read[1].event == "succeeded" && read[1].at == .test(100))
      #expect(try ledger.write { try $0.lastSeq() } == 5)
    }
  }

  @Test("the stream gets the outcomes alone, and passes over the others with them")
  func stream() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        _ = try transaction.notify("paused", about: .department("deposits"), at: .test(1))
        let job = NewJob.queued()
        try transaction.end(try transaction.acceptNew(job))
        _ = try transaction.notify("succeeded", about: .plan(JobID()), at: .test(2))
        _ = try transaction.notify("looked at", about: .job(job.id), at: .test(3))
        #expect(try transaction.unsent(limit: 9).map(\.seq) == [2])
        #expect(try transaction.unsent(limit: 1).map(\.seq) == [2])
        try transaction.markSent(upTo: 2)
        #expect(try transaction.unsent(limit: 9) == [])
        #expect(try transaction.unread(by: .stream, limit: 9).map(\.number) == [3, 4])
      }
      #expect(try await ledger.read { try $0.notifications(from: 1, limit: 9) }.map(\.seq) == [2])
    }
  }

  @Test("one says in which epoch it was recorded, and the numbers go on")
  func epoch() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        _ = try transaction.notify("a", about: .rule("r"), at: .test(1))
        _ = try transaction.beginEpoch(atLeast: 7, at: .test(2))
        try transaction.end(try transaction.acceptNew(.queued()))
      }
      _ = try ledger.write { try $0.notify("b", about: .rule("r"), at: .test(3)) }
      let read = try await ledger.read { try $0.allNotifications(from: 1, limit: 9) }
      #expect(read.map { [$0.number, Int64($0.epoch)] } == [[1, 1], [2, 7], [3, 7]])
    }
  }

  @Test("each reader goes on where it was, and begins with what comes next")
  func readers() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        _ = try transaction.notify("a", about: .rule("r"), at: .test(1))
        try transaction.addReader(rules)
        #expect(try transaction.unread(by: rules, limit: 9) == [])
        let later = try ["b", "c", "d"].map { try transaction.notify($0, about: .rule("r"), at: .test(2)) }
        try transaction.addReader(rules)
        #expect(try transaction.unread(by: rules, limit: 2) == Array(later.prefix(2)))
        try transaction.markRead(by: rules, upTo: 3)
        try transaction.markRead(by: rules, upTo: 2)
        #expect(try transaction.unread(by: rules, limit: 9).map(\.event) == ["d"])
        #expect(try transaction.unread(by: .stream, limit: 9).map(\.event) == ["a", "b", "c", "d"])
        try transaction.removeReader(rules)
        #expect(throws: LedgerError.self) { try transaction.unread(by: rules, limit: 9) }
      }
    }
  }

  @Test("nothing is removed that some reader has not read, and nothing that is young")
  func retention() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        try transaction.addReader(rules)
        for time: Int64 in [10, 20, 30] {
          _ = try transaction.notify("a", about: .department("deposits"), at: .test(time))
          try transaction.end(try transaction.acceptNew(.queued()), at: time)
        }
        try transaction.markSent(upTo: 6)
      }
      func remove(before time: Int64) throws -> [Int64] {
        try ledger.write { transaction throws in
          _ = try transaction.remove(endedBefore: .test(time), limit: 99)
          return try transaction.statements.all("SELECT number FROM notification ORDER BY number")
        }
      }
      #expect(try remove(before: 99) == [1, 2, 3, 4, 5, 6])
      try ledger.write { try $0.markRead(by: rules, upTo: 3) }
      #expect(try remove(before: 15) == [3, 4, 5, 6])
      #expect(try remove(before: 99) == [4, 5, 6])
      #expect(try await ledger.read { try $0.jobs(JobFilter()) }.jobs.count == 2)
      try ledger.write { try $0.removeReader(rules) }
      #expect(try remove(before: 30) == [5, 6])
      #expect(try remove(before: 99) == [])
      #expect(try await ledger.read { try $0.jobs(JobFilter()) }.jobs == [])
      #expect(try ledger.write { try $0.notify("b", about: .rule("r"), at: .test(1)) }.number == 7)
    }
  }

  @Test("a job that stays because another one needs it keeps its notification, and others of it go")
  func needed() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(job)
        _ = try transaction.notify("retried", about: .job(job.id), at: .test(1))
        try transaction.end(number, at: 2)
        var waiting = NewJob.held()
        waiting.dependencies = [Dependency(on: job.id, rule: .fail, isKnown: true)]
        _ = try transaction.acceptNew(waiting)
        try transaction.markSent(upTo: 2)
        let step = try transaction.remove(endedBefore: .test(99), limit: 9)
        #expect(step == RemovalStep(removed: 0, position: 2, isLast: true))
        #expect(try transaction.unread(by: .stream, limit: 9) == [])
        #expect(try transaction.end(number).seq == 2, "it is told once")
      }
      #expect(try await ledger.read { try $0.allNotifications(from: 1, limit: 9) }.map(\.number) == [2])
    }
  }
}
