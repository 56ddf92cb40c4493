import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// A turn that nobody asks for: what makes it due, and the look that takes it.
struct TimeTurn: CustomTestStringConvertible, Sendable {
  typealias Act = @Sendable (Books) async throws -> Void

  let testDescription: String
  let prepare: Act
  let look: Act

  init(_ name: String, after prepare: @escaping Act, _ look: @escaping Act) {
    (testDescription, self.prepare, self.look) = (name, prepare, look)
  }

  static let all: [TimeTurn] = [
    TimeTurn("a job is due", after: due, clock), TimeTurn("a job comes too late", after: tooLate, clock),
    TimeTurn("a schedule fires", after: schedule, clock),
    TimeTurn("tellers are shared out", after: besides) { try await $0.bookkeeper.shareTellers(at: .seconds(1_000)) },
    TimeTurn("a release has waited for long", after: overtaken) { try await $0.bookkeeper.ageReleases(at: $0.now) },
    TimeTurn("a release is lost", after: lost) {
      try await $0.bookkeeper.lookForLost(in: [JobQueue("work")], olderThan: .seconds(-60))
    },
    TimeTurn("a job waits for one that never comes", after: unknown) {
      try await $0.bookkeeper.endUnknownDependencies()
    },
  ]

  private static let clock: Act = { try await $0.lookAtClock(after: .zero) }

  private static let due: Act = { books in
    try await books.accept(Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(10))))
    books.clock.pass(.seconds(20))
  }

  private static let tooLate: Act = { books in
    _ = try await books.bookkeeper.setPaused("work", true)
    try await books.accept(Submission(id: JobID(), kind: "deposit", startBy: .within(.seconds(10))))
    books.clock.pass(.seconds(20))
  }

  private static let schedule: Act = { books in
    let schedule = try #require(
      CronSchedule(name: "minutely", expression: try CronExpression("* * * * *"), timeZone: .utc, kind: "deposit"))
    try await books.takeOver { $0.schedules = [schedule] }
    try await books.bookkeeper.fireSchedules(at: books.now)
    books.clock.pass(.seconds(61))
  }

  /// Of two workers one has a handler for a kind, which so has a queue of its own.
  private static let besides: Act = { books in
    try await books.present(WorkerID("first"), kinds: ["deposit"])
    try await books.present(WorkerID("second"), kinds: ["deposit", "loan"])
    _ = try await books.release(Submission(id: JobID(), kind: "loan"))
  }

  /// A release has waited for so long that it is worth more than one that came later.
  private static let overtaken: Act = { books in
    try await books.present(WorkerID("first"))
    for priority in [0, 1] as [Priority] {
      books.clock.pass(Standing.levelWorth + .seconds(1))
      let release = try await books.release(Submission(id: JobID(), kind: "deposit", priority: priority)).release
      books.bookkeeper.confirmed([release])
    }
  }

  private static let lost: Act = { books in
    let release = try await books.release(Submission(id: JobID(), kind: "deposit")).release
    books.bookkeeper.confirmed([release])
  }

  private static let unknown: Act = { books in
    try await books.accept(Submission(id: JobID(), kind: "deposit", after: Dependencies(jobs: [JobID()])))
    await books.bookkeeper.goOn(through: 0...601, after: books.now)
  }
}

@Suite("Turns that time brings, while too many turns wait to be safe")
struct HeldTurnsTests {
  @Test("are not taken, and are when the others are safe", arguments: TimeTurn.all)
  func wait(turn: TimeTurn) async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    try await turn.prepare(books)
    _ = try await books.told()
    // Of these nothing is due, so that no turn has anything else to do.
    for _ in 0..<HeldEffects.limit {
      let later = SubmittedTime.within(.seconds(1_000_000))
      try await books.accept(Submission(id: JobID(), kind: "vault", runAt: later, reply: .test))
    }
    let (written, held) = (shipping.last, await books.bookkeeper.effects.count)
    #expect(await !books.bookkeeper.hasRoom)
    try await turn.look(books)
    #expect(shipping.last == written, "something was recorded")
    #expect(await books.bookkeeper.effects.count == held, "something was decided")
    _ = try await books.told()
    try await turn.look(books)
    let told = try await books.left()
    #expect(shipping.last > written || !told.isEmpty, "nothing was due")
  }

  @Test("show that the ledger can be written, each time when so much has passed by the clock of the books")
  func touched() async throws {
    let shipping = Shipping()
    let books = try await Books(shipping: shipping)
    try await books.bookkeeper.touchLedger()
    let first = shipping.last
    books.clock.pass(Bookkeeper.touchInterval - .milliseconds(1))
    try await books.bookkeeper.touchLedger()
    #expect(shipping.last == first)
    books.clock.pass(.milliseconds(1))
    try await books.bookkeeper.touchLedger()
    #expect(shipping.last > first)
  }
}
