import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Events, in the books")
struct PlanEventBooksTests {
  private func plan(_ whenOpen: PlanEvent.WhenOpen = .announce) async throws -> PlanBooks {
    try await PlanBooks(
      [PlanStep("one", 1), PlanStep("three", 3)],
      events: [PlanEvent("push", rank: 2, kind: "step", whenOpen: whenOpen)])
  }

  private func event(_ id: JobID, reply: ReplyAddress? = .test) -> IncomingSubmission {
    .event(EventSubmission(id: id, name: "push", content: JobContent(payload: Array("7".utf8)), reply: reply))
  }

  private func state(_ id: JobID, _ plan: PlanBooks) async throws -> EventState? {
    try await plan.books.bookkeeper.showEvent(id)?.state
  }

  @Test("before the start an event is kept, and runs as a step of its rank, with its payload")
  func before() async throws {
    let (plan, id) = (try await plan(), JobID())
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await plan.books.told().replies == [.accepted])
    #expect(try await state(id, plan) == .kept)
    #expect(try await plan.explain(id).first?.hold == .event)
    try await plan.start()
    #expect(try await state(id, plan) == .acted)
    #expect(
      try await plan.books.ledger.read { try $0.content(of: try #require(try $0.job(id)).number)?.payload }
        == Array("7".utf8))
    #expect(try await plan.run() == ["one", "push", "three"])
    #expect(
      try await plan.news().filter { $0.hasSuffix("push") } == [
        "event_kept push", "event_acted push", "succeeded push",
      ])
  }

  @Test("while the plan runs an event waits for its rank; one below the present rank runs next")
  func during() async throws {
    let (plan, first, late) = (try await plan(), JobID(), JobID())
    try await plan.start()
    var told = try await plan.books.told().assignments
    #expect(try await plan.accept(event(first)).isEmpty)
    #expect(try await plan.books.told().assignments.isEmpty, "the first step has not ended")
    try await plan.books.succeed(try #require(told.first))
    told = try await plan.books.told().assignments
    #expect(told.map(\.job) == [first])
    try await plan.books.succeed(told[0])
    told = try await plan.books.told().assignments
    #expect(told.map { $0.step?.name } == ["three"])
    #expect(try await plan.accept(event(late)).isEmpty)
    try await plan.books.succeed(told[0])
    #expect(try await plan.phase == .running, "the plan is not open before the event has its turn")
    #expect(try await plan.run() == ["push"])
    #expect(try await plan.phase == .open)
  }

  @Test("an open plan announces an event; of two who accept it one decides, and it is acted on once")
  func announced() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    _ = try await plan.run()
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await state(id, plan) == .announced)
    #expect(try await plan.books.told().assignments.isEmpty)
    for reply in [ReplyAddress.test, .other] {
      #expect(try await plan.accept(.choice(EventChoice(.accept, id, reply: reply))).isEmpty)
    }
    let told = try await plan.books.told()
    #expect(told.replies(to: .test) == [.accepted] && told.replies(to: .other) == [.duplicate])
    #expect(told.assignments.map(\.job) == [id])
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await plan.books.told().assignments.isEmpty, "it came before")
  }

  @Test("an open plan runs an event that says so; while its department is paused, every event waits for that alone")
  func openAndPaused() async throws {
    for whenOpen in PlanEvent.WhenOpen.allCases {
      let (plan, id, paused) = (try await plan(whenOpen), JobID(), JobID())
      try await plan.start()
      _ = try await plan.run()
      #expect(try await plan.accept(event(id)).isEmpty)
      #expect(try await plan.run() == (whenOpen == .run ? ["push"] : []))
      _ = try await plan.books.bookkeeper.setPaused("init", true)
      #expect(try await plan.accept(event(paused)).isEmpty)
      #expect(try await state(paused, plan) == .acted)
      #expect(try await plan.books.told().assignments.isEmpty)
      try await plan.books.restart()
      _ = try await plan.books.bookkeeper.setPaused("init", false)
      #expect(try await plan.run() == ["push"])
    }
  }

  @Test("an event of a plan that fails is kept if nobody has begun it, else it goes on")
  func planFails() async throws {
    let (plan, waiting) = (try await plan(), JobID())
    try await plan.start()
    #expect(try await plan.accept(event(waiting)).isEmpty)
    #expect(try await plan.run(failing: ["one": "hopeless"]) == ["one"])
    #expect(try await state(waiting, plan) == .kept)
    #expect(try await plan.books.job(waiting) == nil)
    try await plan.start()
    try await plan.books.succeed(try #require(try await plan.books.told().assignments.first))
    let begun = try #require(try await plan.books.told().assignments.first)
    #expect(begun.job == waiting)
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await state(waiting, plan) == .acted)
    try await plan.books.succeed(begun)
    #expect(try await plan.books.state(waiting) == .succeeded)
    #expect(try await plan.books.freshMemory() == plan.books.bookkeeper.memory)
  }

  @Test("an event of an open plan that nobody can act on is kept when the plan is stopped, and holds up no later run")
  func stoppedWhileOpen() async throws {
    let (plan, id) = (try await plan(.run), JobID())
    try await plan.start()
    _ = try await plan.run()
    _ = try await plan.books.bookkeeper.setPaused("init", true)
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await state(id, plan) == .acted)
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await state(id, plan) == .kept)
    _ = try await plan.books.bookkeeper.setPaused("init", false)
    try await plan.start()
    #expect(try await plan.run() == ["one", "push", "three"])
  }

  @Test("events go where the file says by then, if it moves an open plan to another department")
  func movedWhileOpen() async throws {
    let (plan, one, two) = (try await plan(.run), JobID(), JobID())
    try await plan.start()
    _ = try await plan.run()
    try await plan.books.takeOver {
      $0.departments["morning"] = DepartmentSettings(isOrdered: true)
      guard var definition = $0.plans[PlanBooks.name]?.definition else { return }
      definition.department = "morning"
      $0.plans[PlanBooks.name] = PlanSettings(definition)
    }
    _ = try await plan.books.bookkeeper.setPaused("morning", true)
    for id in [one, two] { #expect(try await plan.accept(event(id)).isEmpty) }
    let held = try await [plan.books.job(one), plan.books.job(two)]
    #expect(held.map { $0?.department } == ["morning", "morning"])
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await state(one, plan) == .kept)
    #expect(try await state(two, plan) == .kept)
    #expect(try await plan.books.freshMemory() == plan.books.bookkeeper.memory)
  }

  @Test("the payload of an event that waits can be read, and why it waits is said by where its plan stands")
  func announcedPayload() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    _ = try await plan.run()
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await plan.books.bookkeeper.showContent(of: id).get().payload == Array("7".utf8))
    #expect(try await plan.explain(id).first?.text == "plan \"opening\" is open, and the event was announced")
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await plan.explain(id).first?.text.contains("open no longer") == true)
    #expect(try await plan.accept(.choice(EventChoice(.dismiss, id))).isEmpty)
    guard case .failure(let failure) = try await plan.books.bookkeeper.showContent(of: id) else {
      Issue.record("a dismissed event has a payload")
      return
    }
    #expect(failure.code == JobFailure.Code.notFound)
  }

  @Test("an event that is still in the state in which it came has no time of a decision")
  func decided() async throws {
    let (plan, kept, acted, announced) = (try await plan(), JobID(), JobID(), JobID())
    func isDecided(_ id: JobID) async throws -> Bool? {
      try await plan.books.bookkeeper.showEvent(id).map { $0.decided != nil }
    }
    #expect(try await plan.accept(event(kept)).isEmpty)
    #expect(try await isDecided(kept) == false)
    try await plan.start()
    #expect(try await plan.accept(event(acted)).isEmpty)
    #expect(try await state(acted, plan) == .acted)
    #expect(try await isDecided(kept) == true)
    #expect(try await isDecided(acted) == false)
    _ = try await plan.run()
    #expect(try await plan.accept(event(announced)).isEmpty)
    #expect(try await isDecided(announced) == false)
    #expect(try await plan.accept(.choice(EventChoice(.accept, announced))).isEmpty)
    #expect(try await isDecided(announced) == true)
  }

  @Test("an event that was acted on at once, and is kept when its run ends, is decided then")
  func keptAgain() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await plan.run(failing: ["one": "hopeless"]) == ["one"])
    let event = try #require(try await plan.books.bookkeeper.showEvent(id))
    #expect(event.state == .kept && event.decided != nil)
  }

  @Test("a dismissed event has an outcome, and is not accepted any more")
  func dismissed() async throws {
    let (plan, id) = (try await plan(), JobID())
    #expect(try await plan.accept(event(id)).isEmpty)
    #expect(try await plan.accept(.choice(EventChoice(.dismiss, id))).isEmpty)
    #expect(try await plan.books.told().replies(to: .test).count == 2, "accepted, then the outcome")
    let refused = try await plan.accept(.choice(EventChoice(.accept, id)))
    #expect(refused.map(\.failure.code) == [JobFailure.Code.dismissed])
    try await plan.start()
    #expect(try await plan.run() == ["one", "three"])
    #expect(try await plan.books.bookkeeper.showJob(id)?.outcome?.failure?.code == JobFailure.Code.dismissed)
  }

  @Test("an event that nobody receives, an id that a job has, and one event too many are refused")
  func refused() async throws {
    let plan = try await plan()
    let unknown = EventSubmission(id: JobID(), name: "pusch")
    let codes = try await plan.accept(.event(unknown)).map(\.failure)
    #expect(codes.map(\.code) == [JobFailure.Code.unknownEvent])
    #expect(codes.first?.message.contains("did you mean \"push\"?") == true)
    let job = JobID()
    try await plan.books.accept(Submission(id: job, kind: "deposit"))
    #expect(try await plan.accept(event(job, reply: nil)).map(\.failure.code) == [JobFailure.Code.idTaken])
    let events = (0..<PlanEvents.waitingLimit).map { _ in Incoming(event(JobID(), reply: nil)) }
    #expect(try await plan.books.bookkeeper.accept(events).isEmpty)
    #expect(try await plan.accept(event(JobID(), reply: nil)).map(\.failure.code) == [JobFailure.Code.tooManyEvents])
  }

  @Test("what was acted on is removed with its job; what waits stays")
  func retention() async throws {
    let plan = try await PlanBooks([PlanStep("one", 1)], events: [PlanEvent("push", rank: 2, kind: "step")])
    let (acted, kept) = (JobID(), JobID())
    try await plan.start()
    #expect(try await plan.accept(event(acted)).isEmpty)
    _ = try await plan.run()
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await plan.accept(event(kept)).isEmpty)
    let later = try await plan.books.succeeded { $0.retention = .everything }
    try await later.retain()
    try await later.retain()
    #expect(try await later.bookkeeper.showEvent(acted) == nil)
    #expect(try await later.bookkeeper.showEvent(kept)?.state == .kept)
    #expect(try await later.bookkeeper.showPlan("opening")?.phase == .stopped, "the last run of a name stays")
  }
}
