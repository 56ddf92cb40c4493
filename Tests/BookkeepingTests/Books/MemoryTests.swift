import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The memory of the bookkeeper")
struct MemoryTests {
  private static let rounds = SeededRandom.length(4, long: 8)
  /// What must have happened is left to chance: there are more rounds until it has.
  private static let mostRounds = 80
  private static let stepsPerRound = 200

  @Test("it is what a new coordinator reads from the ledger, whatever has happened", .timeLimit(.minutes(10)))
  func isWhatTheLedgerSays() async throws {
    var random = SeededRandom(for: "memory")
    var happened: Set<RandomBooks.Event> = []
    for round in 0..<MemoryTests.mostRounds
    where round < MemoryTests.rounds || happened.count < RandomBooks.Event.allCases.count {
      let seed = round == 0 ? random.seed : random.next()
      var state = try await RandomBooks(seed: seed)
      var done: [String] = []
      for _ in 0..<MemoryTests.stepsPerRound {
        done.append(try await state.step())
        let differences = try await MemoryTests.differences(in: state.books)
        try #require(differences.isEmpty, "seed \(seed), after \(done.suffix(5)): \(differences)")
      }
      try await MemoryTests.end(&state, seed)
      happened.formUnion(state.happened)
    }
    #expect(happened == Set(RandomBooks.Event.allCases))
  }

  private static func differences(in books: Books) async throws -> [String] {
    let fresh = try await books.freshMemory()
    var differences = await books.bookkeeper.memory.differences(from: fresh)
    differences += await books.bookkeeper.miscounted.map { "places beside: \($0)" }
    let expected = await (books.bookkeeper.nextDue, books.bookkeeper.nextTooLate)
    let next = try books.ledger.write { (try $0.nextDue(), try $0.nextStartBy()) }
    if let due = next.0, expected.0.map({ $0 > due }) ?? true { differences.append("due: \(due)") }
    if let tooLate = next.1, expected.1 == nil { differences.append("too late: \(tooLate)") }
    return differences
  }

  private static let roundLimit = 500

  /// When everybody does what is to be done, everything ends and every place is free.
  private static func end(_ state: inout RandomBooks, _ seed: UInt64) async throws {
    let books = state.books
    try await state.configureAll()
    for worker in state.workers { try await books.present(worker, isGoodbye: true, at: state.now) }
    (state.workers, state.kinds) = ([WorkerID("last")], [WorkerID("last"): RandomBooks.kinds])
    for department in ["work", "init", "capped"] as [Department] {
      _ = try await books.bookkeeper.setPaused(department, false)
    }
    try await state.stopPlan(gates: .open)
    try await state.dismissEvents()
    for _ in 0..<roundLimit where try await isBusy(books) {
      try await state.agree()
      try await state.share()
      try await books.doChores()
      try await books.lookAtClock(after: .seconds(7_200))
      await books.bookkeeper.goOn(through: 0...1_200, after: books.now)
      try await books.bookkeeper.endUnknownDependencies()
      for job in await books.bookkeeper.released.values {
        try await books.record(books.report(of: job.release, token: job.progress.token, .done))
      }
      for (release, token) in await books.bookkeeper.voidTokens {
        try await books.record(books.report(of: release, token: token, .done))
      }
    }
    let memory = await books.bookkeeper.memory
    let isBusy = try await isBusy(books)
    #expect(!isBusy, "seed \(seed): \(memory.desks), \(memory.released), \(memory.void)")
    #expect(memory.openDependencies == 0, "seed \(seed)")
    let left = try books.ledger.write { try $0.liveJobs(after: 0, upTo: .max, limit: 1).jobs.count }
    #expect(left == 0, "seed \(seed)")
  }

  private static func isBusy(_ books: Books) async throws -> Bool {
    let memory = await books.bookkeeper.memory
    return !memory.released.isEmpty || !memory.void.isEmpty || memory.openDependencies > 0
      || memory.desks.values.contains {
        $0.ready.reduce(0, +) + $0.delayed + $0.retrying + $0.dependent + $0.unserved + $0.suspects + $0.inUse > 0
      }
  }
}

extension Books {
  fileprivate func report(of release: ReleaseID, token: Int, _ result: AttemptResult) -> ReportMessage {
    .report(
      Report(
        release: release, token: token, ledger: ledger.id, worker: WorkerID(), startedAgo: .milliseconds(2),
        ran: .milliseconds(1), result: result))
  }
}
