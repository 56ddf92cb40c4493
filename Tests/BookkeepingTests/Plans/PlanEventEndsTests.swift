import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Events that wait when something else ends, in the books")
struct PlanEventEndsTests {
  private func plan(startWithin: Duration? = nil) async throws -> PlanBooks {
    var first = PlanStep("one", 1)
    first.startWithin = startWithin
    return try await PlanBooks(
      [first, PlanStep("three", 3)], events: [PlanEvent("push", rank: 2, kind: "step", whenOpen: .announce)])
  }

  private func send(_ id: JobID, to plan: PlanBooks, reply: ReplyAddress? = nil) async throws {
    let content = JobContent(payload: Array("7".utf8))
    let event = EventSubmission(id: id, name: "push", content: content, reply: reply)
    #expect(try await plan.accept(.event(event)).isEmpty)
  }

  private func state(_ id: JobID, _ plan: PlanBooks) async throws -> EventState? {
    try await plan.books.bookkeeper.showEvent(id)?.state
  }

  private func isConsistent(_ plan: PlanBooks) async throws -> Bool {
    try await plan.books.freshMemory() == plan.books.bookkeeper.memory
  }

  @Test("a reset that cancels the steps of a plan keeps the event behind them for the next run")
  func reset() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    try await send(id, to: plan)
    _ = try await plan.books.bookkeeper.begin(.reset, JobSelection())
    try await plan.books.doChores()
    #expect(try await plan.phase == .stopped)
    #expect(try await state(id, plan) == .kept)
    #expect(try await isConsistent(plan))
    try await plan.start()
    for _ in 0..<2 { try await plan.books.doChores() }
    #expect(try await plan.explain(id).first?.hold != .event)
  }

  @Test(
    "jobs of a kind that are cancelled: the event of that kind is cancelled, too, or kept when its plan has ended first"
  )
  func cancelKind() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    try await send(id, to: plan)
    _ = try await plan.books.bookkeeper.begin(.cancel, JobSelection(kind: "step"))
    try await plan.books.doChores()
    #expect(try await plan.phase == .stopped)
    #expect(try await state(id, plan) == .kept)
    #expect(try await isConsistent(plan))
  }

  @Test("a step that comes too late fails its plan, and the event behind it is kept")
  func tooLate() async throws {
    let (plan, id) = (try await plan(startWithin: .seconds(1)), JobID())
    _ = try await plan.books.bookkeeper.setPaused("init", true)
    try await plan.start()
    try await send(id, to: plan)
    try await plan.books.lookAtClock(after: .seconds(60))
    #expect(try await plan.phase == .failed)
    #expect(try await state(id, plan) == .kept)
    #expect(try await isConsistent(plan))
  }

  @Test("an event that was begun and is to be tried again when its run ends has its turn in the next run")
  func triedAgain() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start()
    try await send(id, to: plan)
    try await plan.books.succeed(try #require(try await plan.books.told().assignments.first))
    let begun = try #require(try await plan.books.told().assignments.first)
    #expect(begun.job == id)
    try await plan.books.record(plan.books.report(begun, .broken))
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    #expect(try await state(id, plan) == .acted)
    let run = try await plan.start()
    #expect(try await plan.run() == ["one"], "the event waits for its next attempt, and the step of its rank for it")
    try await plan.books.lookAtClock(after: .seconds(700))
    #expect(try await plan.run() == ["push", "three"])
    #expect(try await plan.books.job(id)?.plan == run)
    #expect(try await plan.phase == .open)
    #expect(try await isConsistent(plan))
  }

  /// An event whose first attempt is under way, while its run has been stopped.
  private func begunAndStopped() async throws -> (plan: PlanBooks, begun: Assignment) {
    let plan = try await plan()
    try await plan.start()
    try await send(JobID(), to: plan)
    try await plan.books.succeed(try #require(try await plan.books.told().assignments.first))
    let begun = try #require(try await plan.books.told().assignments.first)
    _ = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: .keep)).get()
    return (plan, begun)
  }

  @Test("an event that fails after its run has ended, while the next run is under way, has its turn in that one")
  func failsInNextRun() async throws {
    let (plan, begun) = try await begunAndStopped()
    let run = try await plan.start()
    try await plan.books.record(plan.books.report(begun, .broken))
    #expect(try await plan.books.job(begun.job)?.plan == run)
    #expect(try await plan.run() == ["one"], "the event waits for its next attempt, and the step behind it for it")
    try await plan.books.lookAtClock(after: .seconds(700))
    #expect(try await plan.run() == ["push", "three"])
    #expect(try await isConsistent(plan))
  }

  @Test("a reset that is under way cancels an event that was begun before it, and not the run that began after it")
  func resetBeforeRun() async throws {
    let (plan, begun) = try await begunAndStopped()
    try await plan.books.record(plan.books.report(begun, .broken))
    _ = try await plan.books.bookkeeper.begin(.reset, JobSelection())
    try await plan.start()
    try await plan.books.doChores()
    #expect(try await plan.books.state(begun.job) == .cancelled)
    #expect(try await plan.run() == ["one", "three"])
    #expect(try await plan.phase == .open)
    #expect(try await isConsistent(plan))
  }

  @Test("a job with the id of an event that is kept, or announced, is refused, and the event takes its course")
  func idTaken() async throws {
    let (plan, kept, announced) = (try await plan(), JobID(), JobID())
    try await send(kept, to: plan)
    #expect(try await refusals(of: kept, plan) == ["id_taken"])
    try await plan.start()
    _ = try await plan.run()
    #expect(try await state(kept, plan) != .dismissed)
    try await send(announced, to: plan)
    #expect(try await refusals(of: announced, plan) == ["id_taken"])
    #expect(try await state(announced, plan) == .announced)
    #expect(try await plan.accept(.choice(EventChoice(.accept, announced))).isEmpty)
  }

  @Test("a job with the id of an event that came before it in the same batch is refused")
  func idTakenInOneBatch() async throws {
    let (plan, id) = (try await plan(), JobID())
    let jobs = [JobID(), id].map { Incoming(.job(Submission(id: $0, kind: "deposit", reply: .other))) }
    let event = Incoming(.event(EventSubmission(id: id, name: "push", content: JobContent(payload: []))))
    _ = try await plan.books.bookkeeper.accept([jobs[0], event, jobs[1]])
    #expect(try await plan.books.told().rejections(to: .other) == ["id_taken"])
    #expect(try await state(id, plan) == .kept)
  }

  /// What a submitter of a job with that id is told.
  private func refusals(of id: JobID, _ plan: PlanBooks) async throws -> [String] {
    _ = try await plan.books.told()
    try await plan.books.accept(Submission(id: id, kind: "deposit", reply: .other))
    return try await plan.books.told().rejections(to: .other)
  }

  @Test("who accepts an event is told its outcome, and its sender is, too")
  func twoReplies() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await plan.start(reply: nil)
    _ = try await plan.run()
    try await send(id, to: plan, reply: .test)
    #expect(try await plan.accept(.choice(EventChoice(.accept, id, reply: .other))).isEmpty)
    try await plan.books.succeed(try #require(try await plan.books.told().assignments.first))
    let told = try await plan.books.told()
    for reply in [ReplyAddress.test, .other] {
      #expect(told.replies(to: reply).contains { if case .outcome(.succeeded) = $0 { true } else { false } })
    }
  }

  @Test("an event that waits runs as the configuration has it when its plan starts")
  func changedKind() async throws {
    let (plan, id) = (try await plan(), JobID())
    try await send(id, to: plan)
    try await plan.books.takeOver {
      $0.plans[PlanBooks.name]?.definition.events = [PlanEvent("push", rank: 4, kind: "vault")]
    }
    try await plan.start()
    let job = try #require(try await plan.books.job(id))
    #expect(job.kind == "vault" && job.order?.rank == 4)
    #expect(try await plan.books.bookkeeper.showEvent(id)?.kind == "vault")
  }

  @Test("a plan that was taken out of the configuration receives nothing any more")
  func removed() async throws {
    let plan = try await plan()
    try await plan.start()
    try await plan.books.takeOver { $0.plans = [:] }
    let refused = try await plan.accept(.event(EventSubmission(id: JobID(), name: "push")))
    #expect(refused.map(\.failure.code) == [JobFailure.Code.unknownEvent])
    #expect(try await plan.books.bookkeeper.showPlan("opening")?.events.isEmpty == true)
  }

  @Test(
    "so many bytes of events wait for a plan, also for their turn in its run, and then no further one",
    arguments: [true, false])
  func bytes(whileItRuns: Bool) async throws {
    let plan = try await plan()
    if whileItRuns { try await plan.start() }
    let content = JobContent(payload: Array(repeating: 32, count: PlanEvents.waitingBytes / 64))
    func event() -> IncomingSubmission { .event(EventSubmission(id: JobID(), name: "push", content: content)) }
    for _ in 0..<64 { #expect(try await plan.accept(event()).isEmpty) }
    let refused = try await plan.accept(event())
    #expect(refused.map(\.failure.code) == [JobFailure.Code.tooManyEvents])
    #expect(refused.first?.failure.message.contains("16384 KiB") == true)
  }
}
