import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A turn of the books: the function that takes it, what has to be there before, and the call.
struct AnyTurn: CustomTestStringConvertible, Sendable {
  typealias Act = @Sendable (Books) async throws -> Void

  let function: String
  let prepare: Act
  let take: Act

  init(_ function: String, after prepare: @escaping Act = { _ in }, _ take: @escaping Act) {
    (self.function, self.prepare, self.take) = (function, prepare, take)
  }

  var testDescription: String { function }

  static let all = messages + workers + time + chores + commands + sessions
}

extension AnyTurn {
  private static let id = JobID()
  private static let vault = Submission(id: id, kind: "vault", reply: .test)
  private static let first = WorkerID("first")
  private static let second = WorkerID("second")

  private static let accepted: Act = { try await $0.accept(vault) }
  private static let report: @Sendable (Books) async throws -> ReportMessage = { books in
    let live = try #require(await books.bookkeeper.released[id])
    return .report(
      Report(
        release: live.release, token: live.progress.token, ledger: books.ledger.id, worker: WorkerID(),
        startedAgo: .milliseconds(20), ran: .milliseconds(10), result: .done))
  }

  private static let messages: [AnyTurn] = [
    AnyTurn("accept", accepted),
    AnyTurn("acceptEarly") { try await $0.bookkeeper.acceptEarly([Incoming(.job(vault))]) },
    AnyTurn("fillOn") { try await $0.bookkeeper.fillMore() },
    AnyTurn("record", after: accepted) { try await $0.record(report($0)) },
    AnyTurn("recordEarly", after: accepted) { try await $0.bookkeeper.recordEarly([report($0)], from: [nil]) },
  ]

  private static let workers: [AnyTurn] = [
    AnyTurn("hear") { try await $0.present(first) },
    AnyTurn("tick", after: { try await $0.present(first) }) {
      for second in 1...10 { try await $0.bookkeeper.tick(at: .seconds(second), isBlocked: false) }
    },
    AnyTurn("shareTellers", after: { try await besides($0) }) {
      try await $0.bookkeeper.shareTellers(at: .seconds(1_000))
    },
    AnyTurn("kindQueueIsGone") { try await $0.bookkeeper.kindQueueIsGone(JobQueue("work", kind: "loan")) },
    AnyTurn("end", after: accepted) { books in
      let release = try #require(await books.bookkeeper.released[id]).release
      try await books.bookkeeper.end([RefusedRelease(release: release, reason: "it is too large")])
    },
    AnyTurn("readmit", after: { await $0.bookkeeper.refuse("capped", because: "406") }) {
      try await $0.bookkeeper.readmit("capped")
    },
    AnyTurn("lookForLost") { try await $0.bookkeeper.lookForLost(in: [], olderThan: .zero) },
    AnyTurn("ageReleases", after: { try await overtaken($0) }) { try await $0.bookkeeper.ageReleases(at: $0.now) },
  ]

  /// Of two workers one has a handler for a kind, which so has a queue of its own.
  private static let besides: Act = { books in
    try await books.present(first, kinds: ["deposit"])
    try await books.present(second, kinds: ["deposit", "loan"])
    _ = try await books.release(Submission(id: JobID(), kind: "loan"))
  }

  /// A release has waited for so long that it is worth more than one that came later.
  private static let overtaken: Act = { books in
    try await books.present(first)
    for priority in [0, 1] as [Priority] {
      books.clock.pass(Standing.levelWorth + .seconds(1))
      let release = try await books.release(Submission(id: JobID(), kind: "deposit", priority: priority)).release
      books.bookkeeper.confirmed([release])
    }
  }

  private static let time: [AnyTurn] = [
    AnyTurn(
      "lookAtClock",
      after: { try await $0.accept(Submission(id: JobID(), kind: "vault", runAt: .within(.seconds(10)))) }
    ) { try await $0.lookAtClock(after: .zero) },
    AnyTurn("fireSchedules", after: { try await schedule($0) }) { try await $0.bookkeeper.fireSchedules(at: $0.now) },
    AnyTurn(
      "endUnknownDependencies",
      after: { try await $0.accept(Submission(id: JobID(), kind: "vault", after: Dependencies(jobs: [JobID()]))) }
    ) { try await $0.bookkeeper.endUnknownDependencies() },
    // Nothing is released before the end of the quiet time.
    AnyTurn("endQuiet", after: { try await beQuiet($0) }) {
      try await $0.bookkeeper.endQuiet(at: $0.now + .seconds(600))
    },
  ]

  private static let schedule: Act = { books in
    let schedule = try #require(
      CronSchedule(name: "minutely", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "vault"))
    try await books.takeOver { $0.schedules = [schedule] }
    try await books.bookkeeper.fireSchedules(at: books.now)
  }

  private static let beQuiet: Act = { books in
    #expect(try await books.bookkeeper.compare(withStreamAt: NotificationPosition(epoch: 1, seq: 1_000)))
    try await books.takeOver { $0.lease = .seconds(300) }
    try await books.beginSession()
  }

  private static let chores: [AnyTurn] = [
    AnyTurn("doChores", after: { await $0.bookkeeper.beginRetention() }) { try await $0.doChores() },
    AnyTurn(
      "doChores",
      after: {
        try await accepted($0)
        try await $0.beginSession()
      }
    ) { try await $0.doChores() },
    AnyTurn(
      "doChores",
      after: {
        let first = try await $0.release(Submission(id: JobID(), kind: "deposit"))
        try await $0.accept(Submission(id: JobID(), kind: "vault", after: Dependencies(jobs: [first.job])))
        try await $0.succeed(first)
      }
    ) { try await $0.doChores() },
    AnyTurn(
      "continueOperation", after: { _ = try await $0.bookkeeper.begin(.drop, JobSelection(department: "capped")) }
    ) {
      try await $0.bookkeeper.continueOperation()
    },
  ]

  private static let commands: [AnyTurn] = [
    AnyTurn("cancel", after: accepted) { _ = try await $0.cancel(id) },
    AnyTurn("replay", after: accepted) { _ = try await $0.bookkeeper.replay([id]) },
    AnyTurn("drop", after: accepted) { _ = try await $0.bookkeeper.drop([id]) },
    AnyTurn("rerank") { _ = try await $0.rerank(JobID(), 1) },
    AnyTurn("begin") { _ = try await $0.bookkeeper.begin(.replay, JobSelection(department: "capped")) },
    AnyTurn("setPaused") { _ = try await $0.bookkeeper.setPaused("capped", true) },
    AnyTurn("resize") { _ = try await $0.bookkeeper.resize(ResizeOrder(department: "work", tellers: 2)) },
    AnyTurn("stopPlan") { _ = try await $0.bookkeeper.stopPlan(PlanStopOrder(plan: "none", gates: .open)) },
    AnyTurn("drainWorker") { _ = try await $0.bookkeeper.drainWorker(DrainOrder(worker: "none"), at: .zero) },
    AnyTurn("freeKey") { _ = try await $0.bookkeeper.freeKey("deposit", "none") },
    AnyTurn("resetKeys") { _ = try await $0.bookkeeper.resetKeys("deposit", "none") },
  ]

  private static let sessions: [AnyTurn] = [
    AnyTurn("openSession") { try await $0.beginSession() },
    AnyTurn("takeOver") { try await $0.takeOver { $0.retention = .everything } },
  ]
}
