import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Submitted plans with a name, in the books")
struct SubmittedPlanBooksTests {
  private func submit(
    _ name: PlanName?, to books: Books, gates: [Department] = [], events: [PlanEvent] = [], from user: String? = nil
  ) async throws -> [String] {
    let plan = PlanDefinition(
      name: name, department: "init", steps: [PlanStep("only", 1)], events: events, gates: gates)
    let submission = PlanSubmission(id: JobID(), definition: plan)
    return try await books.bookkeeper.accept([Incoming(.plan(submission), from: user)]).map(\.failure.code)
  }

  private func finish(_ books: Books) async throws {
    var told = try await books.told().assignments
    while let assignment = told.popLast() {
      try await books.succeed(assignment)
      told += try await books.told().assignments
    }
  }

  @Test("whoever may not command does not take over a plan with gates by submitting another one of its name")
  func succession() async throws {
    let books = try await Books().succeeded {
      $0.access.users = ["shop": UserSettings(role: .producer), "boss": UserSettings(role: .operator)]
    }
    #expect(try await submit("rush", to: books, gates: ["work"], from: "boss").isEmpty)
    _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: "rush", gates: .keep)).get()
    #expect(try await submit("rush", to: books, from: "shop") == [JobFailure.Code.notAllowed])
    #expect(await books.bookkeeper.books["work"]?.gates == ["rush"])
    #expect(try await submit("other", to: books, from: "shop").isEmpty)
  }

  @Test("what waits for a submitted plan is not told to start that plan by its name, which would be refused")
  func explained() async throws {
    let (books, customer, push) = (try await Books(), JobID(), JobID())
    #expect(
      try await submit("rush", to: books, gates: ["work"], events: [PlanEvent("push", rank: 2, kind: "step")]).isEmpty)
    try await books.accept(Submission(id: customer, kind: "deposit"))
    _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: "rush", gates: .keep)).get()
    #expect(
      try await books.bookkeeper.accept([Incoming(.event(EventSubmission(id: push, name: "push")))]).isEmpty)
    let gate = try #require(try await books.bookkeeper.explain(customer)?.reasons.first)
    #expect(gate.hold == .gate && gate.lifts == "`teller plan stop rush --gates open`")
    #expect(gate.text.contains("submit it again"))
    let kept = try #require(try await books.bookkeeper.explain(push)?.reasons.first)
    #expect(kept.hold == .event && kept.lifts?.hasPrefix("another submission of the plan") == true)
  }

  @Test("an event goes to the plan of the configuration, also when a submitted plan has one of that name")
  func eventsOfConfiguration() async throws {
    let push = PlanEvent("push", rank: 1, kind: "step")
    let plan = try await PlanBooks([PlanStep("only", 1)], events: [push])
    #expect(try await submit("thief", to: plan.books, events: [push]).isEmpty)
    let id = JobID()
    #expect(try await plan.accept(.event(EventSubmission(id: id, name: "push"))).isEmpty)
    #expect(try await plan.books.bookkeeper.showEvent(id)?.plan == PlanBooks.name)
  }

  @Test("a limited number of names is kept; retention forgets those on which nothing depends")
  func names() async throws {
    let books = try await Books()
    for number in 0..<PlanAccepting.nameLimit {
      let name = try #require(PlanName("plan-\(number)"))
      let events = number == 7 ? [PlanEvent("push", rank: 1, kind: "step")] : []
      #expect(try await submit(name, to: books, events: events).isEmpty)
    }
    #expect(try await submit("one-more", to: books) == [JobFailure.Code.tooManyPlans])
    #expect(try await submit(nil, to: books).isEmpty)
    #expect(try await submit("plan-3", to: books).isEmpty, "it is a known name")
    try await finish(books)
    let later = try await books.succeeded { $0.retention = .everything }
    for _ in 0..<40 { try await later.retain() }
    #expect(try await later.bookkeeper.showPlan("plan-7")?.phase == .open, "events may come for it")
    #expect(try await later.bookkeeper.showPlan("plan-8") == nil)
    #expect(try await submit("one-more", to: later).isEmpty)
  }

  @Test("a plan that comes into the configuration stands where it stood when it was submitted, and is not forgotten")
  func adopted() async throws {
    let books = try await Books()
    #expect(try await submit("rush", to: books, gates: ["work"]).isEmpty)
    try await finish(books)
    let plan = PlanDefinition(name: "rush", department: "init", steps: [PlanStep("only", 1)], gates: ["work"])
    try await books.takeOver { $0.plans["rush"] = PlanSettings(plan, startOn: .open) }
    let record = try #require(try await books.ledger.read { try $0.phase(of: "rush") })
    #expect(record.phase == .open && record.isConfigured)
    #expect(await books.bookkeeper.books["work"]?.gates.isEmpty == true)
  }

  @Test("a plan whose gates close a circle with those of another one is refused: neither would ever begin")
  func circle() async throws {
    let night = PlanDefinition(name: "night", department: "init", steps: [PlanStep("only", 1)], gates: ["closing"])
    let books = try await Books().succeeded {
      for name in ["closing", "morning"] as [Department] { $0.departments[name] = DepartmentSettings(isOrdered: true) }
      $0.plans["night"] = PlanSettings(night)
    }
    func submit(_ name: PlanName, in department: Department, gates: [Department]) async throws -> [JobFailure] {
      let plan = PlanDefinition(name: name, department: department, steps: [PlanStep("only", 1)], gates: gates)
      return try await books.bookkeeper.accept([Incoming(.plan(PlanSubmission(id: JobID(), definition: plan)))])
        .map(\.failure)
    }
    let direct = try await submit("day", in: "closing", gates: ["init"])
    #expect(direct.map(\.code) == [JobFailure.Code.badPlan])
    #expect(direct.first?.message.contains("plan \"night\" runs in department \"init\"") == true)
    #expect(try await submit("dawn", in: "closing", gates: ["morning"]).isEmpty)
    #expect(try await submit("day", in: "morning", gates: ["init"]).map(\.code) == [JobFailure.Code.badPlan])
    #expect(try await submit("day", in: "morning", gates: ["work"]).isEmpty)
  }

  @Test("a start whose payload would be too much for all steps together is refused, and nothing of it is recorded")
  func payloads() async throws {
    let plan = try await PlanBooks((1...3).map { PlanStep("step \($0)", $0) })
    func start(_ bytes: Int) async throws -> [String] {
      let start = PlanStart(id: JobID(), plan: PlanBooks.name, payload: [UInt8](repeating: 0x37, count: bytes))
      return try await plan.accept(.start(start)).map(\.failure.code)
    }
    #expect(try await start(400 << 10) == [JobFailure.Code.badPlan])
    #expect(try await plan.phase == .notStarted)
    #expect(try await start(300 << 10) == [])
    #expect(try await plan.phase == .running)
  }
}
