import Decisions
import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

/// What an event, or the end of a step, costs does not grow with what else there is.
@Suite("What plans cost")
struct PlanCostTests {
  private func submit(_ count: Int, to books: Books, gates: [Department] = []) async throws {
    for number in 0..<count {
      let definition = PlanDefinition(
        name: PlanName(stringLiteral: "plan-\(number)"), department: "init", steps: [PlanStep("one", 1)],
        events: [PlanEvent(EventName(stringLiteral: "event-\(number)"), rank: 2, kind: "step")], gates: gates)
      let plan = PlanSubmission(id: JobID(), definition: definition)
      #expect(try await books.bookkeeper.accept([Incoming(.plan(plan))]).isEmpty)
    }
  }

  private func statements(_ books: Books, of event: EventName, isKnown: Bool = true) async throws -> Int {
    let event = EventSubmission(id: JobID(), name: event, content: JobContent(payload: []), reply: .test)
    let statements = try await CountedStatements.during(books.ledger) {
      _ = try await books.bookkeeper.accept([Incoming(.event(event))])
    }
    #expect(try await books.told().replies.contains(.accepted) == isKnown)
    return statements.count
  }

  @Test("an event that names no plan costs as much among hundreds as among few, also one that no plan receives")
  func events() async throws {
    let books = try await Books()
    try await submit(3, to: books)
    let few = try await (
      known: statements(books, of: "event-1"), unknown: statements(books, of: "nothing", isKnown: false)
    )
    try await submit(300, to: books)
    let many = try await (
      known: statements(books, of: "event-299"), unknown: statements(books, of: "nothing", isKnown: false)
    )
    #expect(many.known <= few.known + 2, "\(few), \(many)")
    #expect(many.unknown <= few.unknown + EventReceivers.namedLimit, "\(few), \(many)")
  }

  @Test("that hundreds of plans have shut gates costs a plan that is submitted one statement")
  func gates() async throws {
    let books = try await Books()
    try await submit(60, to: books, gates: ["capped"])
    let plan = PlanDefinition(name: "another", department: "init", steps: [PlanStep("one", 1)])
    let statements = try await CountedStatements.during(books.ledger) {
      _ = try await books.bookkeeper.accept([Incoming(.plan(PlanSubmission(id: JobID(), definition: plan)))])
    }
    #expect(statements.count < 60, "\(statements.count)")
    #expect(await books.bookkeeper.books["capped"]?.gates.count == 60)
    #expect(await books.bookkeeper.memory == (try await books.freshMemory()))
  }

  @Test("a plan with re-entry reads its jobs at each end of a step only while a step is to go back")
  func reentry() async throws {
    let steps = (1...20).map { PlanStep("step-\($0)", $0) }
    let login = PlanStep("login", 21, reentry: Reentry(on: "expired", from: "step-20", atMost: 2))
    let plan = try await PlanBooks(steps + [login])
    try await plan.start()
    let read = try await CountedStatements.during(plan.books.ledger) {
      _ = try await plan.run(failing: ["login": "expired"])
    }.count { $0.contains("SELECT id, step, order_rank, round") }
    // At the first end, at each failure, at each first end behind it, and at the last.
    #expect(read <= 9, "\(read)")
    #expect(try await plan.phase == .failed)
  }
}
