import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// Every notification is offered to every rule, wherever it is made: a webhook is a rule, too.
@Suite("Every notification reaches every rule and every webhook")
struct NotificationReachTests {
  @Test("wherever in the books it is made", arguments: NotificationPlace.all)
  func places(place: NotificationPlace) async throws {
    let caught = try await CaughtBooks(try await Books())
    try await place.happen(caught)
    let told = try await caught.notifications()
    #expect(told.contains { $0.event == place.event }, "\(told.map(\.event))")
    #expect(try await caught.missed(among: told) == [])
  }

  /// What ends a job, or tells something else of which there is a notification.
  private static let calls =
    #"\b(\w+\.(?:endJob|notify)|turn\.tell[A-Z]\w*|ending\.finish|ledger\.finish)\("#
  /// Where they are carried out.
  private static let inside: Set = [
    "Books/Turn.swift ledger.notify", "Flow/Ending.swift ledger.finish",
  ]

  @Test("the table of these places is that of the code: a new place has its row")
  func allPlaces() throws {
    let calls = try SourceFile.all(in: "Sources/Bookkeeping").flatMap { file in
      try file.matches(of: Self.calls).map { "\(file.path) \($0)" }
    }
    #expect(Self.inside.isSubset(of: calls))
    #expect(calls.filter { !Self.inside.contains($0) }.sorted() == NotificationPlace.all.map(\.call).sorted())
  }

  @Test("whatever turn it is in which a job comes too late where a window is filled", arguments: AnyTurn.all)
  func turns(turn: AnyTurn) async throws {
    let caught = try await CaughtBooks(try await Books())
    try await turn.prepare(caught.books)
    let job = try await caught.tooLate()
    try await turn.take(caught.books)
    #expect(try await caught.books.failure(job) == "too_late", "nothing was filled")
    #expect(try await caught.missed(among: try await caught.notifications()) == [])
  }

  @Test("the table of turns is that of the code, and nothing but a turn can tell anybody anything")
  func allTurns() throws {
    var functions: Set<String> = []
    for file in try SourceFile.all(in: "Sources/Bookkeeping") {
      var function = ""
      for line in file.lines where line.contains("func ") || line.contains("try ") {
        if let name = line.firstMatch(of: #/\bfunc (\w+)/#) { function = String(name.1) }
        if line.contains(#/\btry turn(?: \{|\(\{)/#) { functions.insert(function) }
        // The others have a transaction of the ledger, and no turn.
        if line.contains(#/\btry write(?: \{|\()/#) {
          #expect(["turn", "record", "reload"].contains(function), "\(file.path): \(function)")
        }
      }
    }
    #expect(functions.symmetricDifference(AnyTurn.all.map(\.function)) == [])
  }

  private static let rounds = SeededRandom.length(3, long: 12)
  private static let steps = 200

  @Test("whatever happens, in any order", .timeLimit(.minutes(10)))
  func anything() async throws {
    var random = SeededRandom(for: "notifications and rules")
    var events: Set<String> = []
    for round in 0..<Self.rounds {
      let seed = round == 0 ? random.seed : random.next()
      var state = try await RandomBooks(seed: seed)
      var (last, done): (Int64, [String]) = (0, [])
      try await state.books.takeOver(CaughtBooks.catchAll)
      for _ in 0..<Self.steps {
        done.append(try await state.step())
        // Now and then many jobs are too late at once where windows are filled.
        if state.chance(5) { state.books.clock.pass(.seconds(1_200)) }
        let caught = CaughtBooks(watching: state.books)
        let new = try await caught.notifications(after: last)
        last = new.last?.number ?? last
        events.formUnion(new.map(\.event))
        let missed = try await caught.missed(among: new)
        try #require(missed.isEmpty, "seed \(seed), after \(done.suffix(5)): \(missed)")
      }
    }
    #expect(events.isSuperset(of: ["succeeded", "failed", "cancelled", "attempt_failed", "key_freed", "paused"]))
  }
}
