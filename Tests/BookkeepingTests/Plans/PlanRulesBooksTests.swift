import Decisions
import JobModel
import JobTransport
import Ledger
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The rules of plans, in the books")
struct PlanRulesBooksTests {
  private static let expired = Reentry(on: "expired", from: "user", atMost: 2)

  @Test("an optional step that fails is passed over, and the stream tells it")
  func optional() async throws {
    let plan = try await PlanBooks([PlanStep("one", 1), PlanStep("two", 2, isRequired: false), PlanStep("three", 3)])
    try await plan.start()
    #expect(try await plan.run(failing: ["two": "broken"]) == ["one", "two", "three"])
    #expect(try await plan.phase == .open)
    #expect(
      try await plan.news() == [
        "succeeded one", "failed two", "passed_over two", "succeeded three", "succeeded opening",
      ])
  }

  @Test("a step that reports the code of its re-entry is not tried again: its plan goes back at once")
  func goesBack() async throws {
    let steps = [
      PlanStep("network", 1), PlanStep("user", 2), PlanStep("terms", 3), PlanStep("login", 4, reentry: Self.expired),
      PlanStep("last", 5),
    ]
    let plan = try await PlanBooks(steps)
    let run = try await plan.start()
    var told = try await plan.books.told().assignments
    for _ in 0..<3 {
      try await plan.books.succeed(try #require(told.first))
      told = try await plan.books.told().assignments
    }
    let expired = JobFailure(code: "expired", message: "of yesterday")
    let login = try #require(told.first)
    try await plan.books.record(plan.books.report(login, .failed(expired, isPermanent: false)))
    #expect(try await plan.books.failure(login.job) == "expired")
    #expect(try await plan.run() == ["user", "terms", "login", "last"])
    let details = try #require(try await plan.books.bookkeeper.showPlan("opening"))
    #expect(details.run == run && details.phase == .open)
    #expect(
      details.steps.map { "\($0.name) \($0.round)" }
        == ["network 1", "user 1", "user 2", "terms 1", "terms 2", "login 1", "login 2", "last 1"])
    #expect(try await plan.news().contains("went_back login"))
    #expect(try await plan.books.freshMemory() == plan.books.bookkeeper.memory)
  }

  @Test("a plan that has gone back as often as it may fails, and says so")
  func bound() async throws {
    let plan = try await PlanBooks([PlanStep("user", 1), PlanStep("login", 2, reentry: Self.expired)])
    let run = try await plan.start()
    #expect(try await plan.run(failing: ["login": "expired"]) == ["user", "login", "user", "login", "user", "login"])
    let failure = try await plan.books.ledger.read { try $0.plan(run)?.outcome?.failure }
    #expect(failure?.code == JobFailure.Code.reentryLimit)
    #expect(failure?.message.contains("gone back 2 times") == true, "\(failure?.message ?? "")")
    #expect(try await plan.phase == .failed)
  }

  @Test(
    "a start while the plan runs, or is open, is answered with the run that there is; after a failure it begins anew")
  func startsOnce() async throws {
    let plan = try await PlanBooks([PlanStep("only", 1)])
    let run = try await plan.start()
    _ = try await plan.start(reply: .other)
    #expect(try await plan.books.told().replies(to: .other) == [.duplicate])
    _ = try await plan.books.bookkeeper.setPaused("init", false)
    #expect(try await plan.books.bookkeeper.showPlan("opening")?.run == run)
    // The first run's assignment was told with the answer.
    let assignment = try #require(await plan.books.bookkeeper.released.values.first)
    _ = try await plan.books.cancel(assignment.id)
    #expect(try await plan.phase == .stopped)
    let next = try await plan.start()
    #expect(try await plan.books.bookkeeper.showPlan("opening")?.run == next)
  }

  @Test("a start that was answered with the run that there was is none of the next run when it comes again")
  func comesAgain() async throws {
    let plan = try await PlanBooks([PlanStep("only", 1)])
    let run = try await plan.start()
    let again = PlanStart(id: JobID(), plan: "opening", reply: .other)
    _ = try await plan.books.bookkeeper.accept([Incoming(.start(again))])
    #expect(try await plan.books.told().replies(to: .other) == [.duplicate])
    _ = try await plan.books.cancel(try #require(await plan.books.bookkeeper.released.values.first).id)
    #expect(try await plan.phase == .stopped)
    _ = try await plan.books.told()
    _ = try await plan.books.bookkeeper.accept([Incoming(.start(again))])
    #expect(try await plan.books.told().replies(to: .other).contains(.duplicate))
    #expect(try await plan.books.bookkeeper.showPlan("opening")?.run == run)
  }

  @Test("a plan that starts with the coordinator starts once for its ledger")
  func startsOpen() async throws {
    let plan = try await PlanBooks([PlanStep("only", 1)], startOn: .open)
    let run = try #require(try await plan.books.bookkeeper.showPlan("opening")?.run)
    #expect(try await plan.run() == ["only"])
    let again = try await plan.books.succeeded()
    #expect(try await again.bookkeeper.showPlan("opening")?.run == run)
    #expect(try await again.told().assignments.isEmpty)
  }

  @Test("the payload of a start goes to each step that has none")
  func payload() async throws {
    var own = PlanStep("own", 1)
    own.payload = Array("1".utf8)
    let plan = try await PlanBooks([own, PlanStep("given", 1)])
    let start = PlanStart(id: JobID(), plan: PlanBooks.name, payload: Array("2".utf8))
    #expect(try await plan.accept(.start(start)).isEmpty)
    let payloads = try await plan.books.told().assignments.map {
      ($0.step?.name, String(decoding: $0.content.payload, as: UTF8.self))
    }
    #expect(Dictionary(uniqueKeysWithValues: payloads.map { ($0 ?? "", $1) }) == ["own": "1", "given": "2"])
  }

  @Test("a plan of the file is not submitted, and one that nobody knows is not started")
  func refused() async throws {
    let plan = try await PlanBooks([PlanStep("only", 1)])
    let definition = PlanDefinition(name: PlanBooks.name, department: "init", steps: [PlanStep("only", 1)])
    let submitted = try await plan.accept(.plan(PlanSubmission(id: JobID(), definition: definition)))
    #expect(submitted.map(\.failure.code) == [JobFailure.Code.planConfigured])
    let unknown = try await plan.accept(.start(PlanStart(id: JobID(), plan: "openning")))
    #expect(unknown.map(\.failure.code) == [JobFailure.Code.unknownPlan])
    #expect(unknown.first?.failure.message.contains("did you mean \"opening\"?") == true)
  }
}
