import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import LedgerSupport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("What turns write, shipped to a second ledger")
struct ShippingTests {
  private static let turns = SeededRandom.length(3_000, long: 10_000)
  private static let turnsBetweenComparisons = 500

  @Test("thousands of random turns make the same ledger there", .timeLimit(.minutes(10)))
  func replay() async throws {
    let random = SeededRandom(for: "shipping")
    let (folder, shipping) = (try TemporaryFolder(), Shipping())
    let paths = ["teller.ledger", "copy.ledger"].map { folder.url.appendingPathComponent($0).path }
    try Ledger(path: paths[0]).close()
    try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
    let copy = try Ledger(path: paths[1])
    var state = try await RandomBooks(seed: random.seed, in: folder, shipping: shipping)
    var (turns, compared) = (0, 0)
    var statements: Set<String> = []
    while turns < ShippingTests.turns {
      _ = try await state.step()
      for changes in shipping.takeAll() {
        #expect(try copy.apply(changes))
        turns += 1
        statements.formUnion(changes.writes.map(\.sql))
      }
      guard turns - compared >= ShippingTests.turnsBetweenComparisons else { continue }
      compared = turns
      let difference = try LedgerComparison(paths[0], paths[1]).difference()
      try #require(difference == nil, "seed \(random.seed), after \(turns) turns: \(difference ?? "")")
    }
    // Nearly everything that a coordinator writes was among it.
    #expect(statements.count > 40, "\(statements.count)")
    try copy.close()
  }

  @Test(
    "nothing of a turn leaves before the turn is safe: no answer, no assignment, no notification, no ack",
    .timeLimit(.minutes(10)))
  func nothingLeavesBefore() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let safe = shipping.last
    let submission = Submission(id: JobID(), kind: "deposit", reply: .test)
    try await books.accept(submission)
    _ = try await books.cancel(submission.id)
    let isAcked = Signal()
    let ack = Task {
      try await books.bookkeeper.waitUntilSafe()
      isAcked.close()
    }
    try await eventually("the ack waits", within: patience) { await books.bookkeeper.waitingForSafety == 1 }
    await books.bookkeeper.turnsAreSafe(upTo: safe)
    #expect(try await books.left().isEmpty)
    #expect(try await books.bookkeeper.unsent.isEmpty)
    #expect(!isAcked.isClosed)
    await books.bookkeeper.turnsAreSafe(upTo: safe + 1)
    let first = try await books.left()
    #expect(first.assignments.map(\.job) == [submission.id] && first.replies == [.accepted])
    #expect(try await books.bookkeeper.unsent.isEmpty && !isAcked.isClosed)
    await books.bookkeeper.turnsAreSafe(upTo: safe + 2)
    #expect(try await books.left().replies.count == 1)
    #expect(try await books.bookkeeper.unsent == [submission.id])
    try await ack.value
  }

  @Test("what a turn says that wrote nothing waits for the turn before, whose writes it has read")
  func readingTurns() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let submission = Submission(id: JobID(), kind: "deposit", reply: .test)
    try await books.accept(submission)
    let last = shipping.last
    try await books.accept(submission)
    #expect(shipping.last == last)
    #expect(try await books.left().isEmpty)
    #expect(try await books.told().replies == [.accepted, .duplicate])
  }

  @Test("a new session tells anew what the one before could not, and the stream gets its notifications")
  func newSession() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let ended = Submission(id: JobID(), kind: "deposit")
    let open = Submission(id: JobID(), kind: "deposit")
    try await books.accept(ended, open)
    _ = try await books.cancel(ended.id)
    try await books.beginSession()
    try await books.doChores()
    let assignments = try await books.told().assignments
    #expect(assignments.map(\.job) == [open.id] && assignments.allSatisfy(\.mustClaim))
    #expect(try await books.bookkeeper.unsent == [ended.id])
  }

  @Test("a notification of a turn that is not safe is not read from the ledger either, and none is told twice")
  func readAnew() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let (first, second) = (JobID(), JobID())
    try await books.accept(Submission(id: first, kind: "deposit"))
    _ = try await books.cancel(first)
    try await books.restart()
    #expect(try await books.bookkeeper.unsent.isEmpty)
    _ = try await books.told()
    #expect(try await books.bookkeeper.unsent == [first])
    try await books.accept(Submission(id: second, kind: "deposit"))
    _ = try await books.cancel(second)
    #expect(try await books.bookkeeper.unsent == [first])
    _ = try await books.told()
    #expect(try await books.bookkeeper.unsent == [first, second])
  }

  @Test("while too many turns wait to be safe, no window is filled; it is when they are")
  func bounded() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    _ = try await books.bookkeeper.setPaused("work", true)
    for _ in 0..<HeldEffects.limit {
      try await books.accept(Submission(id: JobID(), kind: "deposit", reply: .test))
    }
    _ = try await books.bookkeeper.setPaused("work", false)
    #expect(await books.bookkeeper.released.isEmpty)
    _ = try await books.told()
    try await books.bookkeeper.fillMore()
    #expect(await !books.bookkeeper.released.isEmpty)
  }

  @Test("whatever time brings while no turn is safe, no more turns are held than the limit, and one of each reader")
  func boundedByTime() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    for _ in 0..<(2 * HeldEffects.limit) {
      books.clock.pass(.seconds(1))
      let now = books.clock.monotonic
      try await books.bookkeeper.lookAtClock(books.now)
      try await books.bookkeeper.tick(at: now, isBlocked: false)
      try await books.bookkeeper.shareTellers(at: now)
      try await books.bookkeeper.ageReleases(at: books.now)
      try await books.bookkeeper.endUnknownDependencies()
      try await books.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .zero)
      try await books.bookkeeper.recordMarks()
      try await books.bookkeeper.touchLedger()
      if await books.bookkeeper.hasRoom { try await books.accept(Submission(id: JobID(), kind: "deposit")) }
    }
    #expect(await books.bookkeeper.effects.count <= HeldEffects.limit + 8)
  }

  @Test("whoever hears others waits until what was decided is safe: each file that waits for room waits for that, too")
  func readersWait() throws {
    let readers = try SourceFile.all(in: "Sources/Coordinator").filter { file in
      file.lines.contains { $0.contains("outbox.waitForRoom()") }
    }
    #expect(readers.count >= 7)
    for reader in readers {
      #expect(reader.lines.contains { $0.contains("waitUntilSafe()") }, "\(reader.path)")
    }
  }

  @Test("a position that is told is one of safe turns", .timeLimit(.minutes(10)))
  func safePosition() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let job = JobID()
    try await books.accept(Submission(id: job, kind: "deposit"))
    _ = try await books.cancel(job)
    let position = Task { try await books.bookkeeper.safePosition() }
    try await eventually("it waits", within: patience) { await books.bookkeeper.waitingForSafety == 1 }
    await books.bookkeeper.turnsAreSafe(upTo: shipping.last)
    #expect(try await position.value == NotificationPosition(epoch: 1, seq: 1))
  }

  @Test("an ack that waits is given up with its session", .timeLimit(.minutes(10)))
  func givenUp() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    let ack = Task { try await books.bookkeeper.waitUntilSafe() }
    try await eventually("the ack waits", within: patience) { await books.bookkeeper.waitingForSafety == 1 }
    ack.cancel()
    await #expect(throws: CancellationError.self) { try await ack.value }
  }

  @Test("everybody who waits for a safe turn is woken, each by the turn that it waits for", .timeLimit(.minutes(10)))
  func manyWait() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    let first = shipping.last
    let early = (0..<3).map { _ in Task { try await books.bookkeeper.waitUntilSafe() } }
    try await eventually("waiters", within: patience) { await books.bookkeeper.waitingForSafety == 3 }
    try await books.accept(Submission(id: JobID(), kind: "deposit"))
    let late = Task { try await books.bookkeeper.waitUntilSafe() }
    try await eventually("waiters", within: patience) { await books.bookkeeper.waitingForSafety == 4 }
    await books.bookkeeper.turnsAreSafe(upTo: first)
    for waiter in early { try await waiter.value }
    #expect(await books.bookkeeper.waitingForSafety == 1)
    await books.bookkeeper.turnsAreSafe(upTo: shipping.last)
    try await late.value
  }

  @Test("a turn of an earlier process that is not safe is not told by the next process, either")
  func earlierProcess() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    _ = try await books.told()
    let job = JobID()
    try await books.accept(Submission(id: job, kind: "deposit"))
    _ = try await books.cancel(job)
    let old = books.bookkeeper
    let next = Bookkeeper(
      ledger: old.ledger, configuration: await old.configuration, logger: old.logger, clock: books.clock.read,
      chance: .any,
      ship: { shipping.take($0) })
    try await next.reload()
    #expect(try await next.unsent.isEmpty)
    await next.turnsAreSafe(upTo: shipping.last)
    #expect(try await next.unsent == [job])
  }
}
