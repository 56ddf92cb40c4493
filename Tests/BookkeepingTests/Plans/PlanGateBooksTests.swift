import Decisions
import Foundation
import JobModel
import JobTransport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Gates, in the books")
struct PlanGateBooksTests {
  private func gated() async throws -> (plan: PlanBooks, customer: JobID) {
    let plan = try await PlanBooks([PlanStep("only", 1)], gates: ["work"])
    let customer = JobID()
    try await plan.books.accept(Submission(id: customer, kind: "deposit"))
    #expect(try await plan.books.told().assignments.isEmpty)
    return (plan, customer)
  }

  @Test("a job behind a gate is held until the plan is open, and everybody is told why")
  func heldThenReleased() async throws {
    let (plan, customer) = try await gated()
    let reason = try #require(try await plan.explain(customer).first)
    #expect(reason.hold == .gate && reason.text.contains("has not been started"))
    #expect(reason.lifts == "`teller plan start opening`")
    #expect(try await plan.books.bookkeeper.showJob(customer)?.hold == .gate)
    let status = try await plan.books.bookkeeper.status(broker: .connected, at: .zero)
    #expect(status.departments.first { $0.department == "work" }?.gates == [PlanBooks.name])
    try await plan.start()
    #expect(try await plan.run() == ["only", "deposit"])
    #expect(try await plan.books.state(customer) == .succeeded)
  }

  @Test("a plan that fails keeps its gates shut, also for a coordinator that begins anew")
  func failure() async throws {
    let (plan, customer) = try await gated()
    try await plan.start()
    #expect(try await plan.run(failing: ["only": "hopeless"]) == ["only"])
    #expect(try await plan.phase == .failed)
    try await plan.books.restart()
    #expect(try await plan.books.state(customer) == .held)
    #expect(try await plan.explain(customer).first?.text.contains("which has failed") == true)
  }

  @Test("whoever stops a plan says what becomes of the jobs behind its gates", arguments: GateChoice.allCases)
  func stop(_ choice: GateChoice) async throws {
    let (plan, customer) = try await gated()
    try await plan.start()
    let stop = try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: PlanBooks.name, gates: choice)).get()
    #expect(stop.before == .running && stop.cancelledSteps == 1 && stop.departments == ["work"])
    try await plan.books.doChores()
    #expect(try await plan.phase == .stopped)
    let expected: JobState = choice == .keep ? .held : choice == .open ? .queued : .cancelled
    #expect(try await plan.books.state(customer) == expected)
    let later = JobID()
    try await plan.books.accept(Submission(id: later, kind: "deposit"))
    #expect(try await plan.books.state(later) == (choice == .open ? .queued : .held))
  }

  @Test("a plan that is taken out of the file holds nobody back")
  func removed() async throws {
    let (plan, customer) = try await gated()
    try await plan.start()
    try await plan.books.takeOver { $0.plans = [:] }
    #expect(try await plan.books.told().assignments.map(\.job).contains(customer))
  }

  @Test("only who may command submits a plan with gates: it would hold back everybody's jobs")
  func access() async throws {
    let books = try await Books().succeeded {
      $0.access.users = ["shop": UserSettings(role: .producer), "boss": UserSettings(role: .operator)]
    }
    let definition = PlanDefinition(
      name: "rush", department: "init", steps: [PlanStep("only", 1)], gates: ["work"])
    let plan = PlanSubmission(id: JobID(), definition: definition)
    let refused = try await books.bookkeeper.accept([Incoming(.plan(plan), from: "shop")])
    #expect(refused.map(\.failure.code) == [JobFailure.Code.notAllowed])
    #expect(await books.bookkeeper.books["work"]?.gates.isEmpty == true)
    #expect(try await books.bookkeeper.accept([Incoming(.plan(plan), from: "boss")]).isEmpty)
    #expect(await books.bookkeeper.books["work"]?.gates == ["rush"])
  }

  @Test("a command that stops a plan and comes again gets its first answer, and changes nothing of the next run")
  func stopComesAgain() async throws {
    let (plan, customer) = try await gated()
    let (order, command) = (PlanStopOrder(plan: PlanBooks.name, gates: .cancel), UUID())
    let stop = try await plan.books.bookkeeper.stopPlan(order, command: command).get()
    try await plan.books.doChores()
    #expect(try await plan.books.state(customer) == .cancelled)
    let later = JobID()
    try await plan.books.accept(Submission(id: later, kind: "deposit"))
    try await plan.start()
    try await plan.books.restart()
    #expect(try await plan.books.bookkeeper.stopPlan(order, command: command).get() == stop)
    try await plan.books.doChores()
    #expect(try await plan.phase == .running)
    #expect(try await plan.books.state(later) == .held)
    #expect(try await plan.books.bookkeeper.stopPlan(order, command: UUID()).get() != stop)
  }

  @Test("who opens the gates of one plan is told which departments wait for another one all the same")
  func twoPlans() async throws {
    let (plan, customer) = try await gated()
    let night = PlanDefinition(name: "night", department: "init", steps: [PlanStep("only", 1)], gates: ["work"])
    try await plan.books.takeOver { $0.plans["night"] = PlanSettings(night) }
    func open(_ name: PlanName) async throws -> PlanStop {
      try await plan.books.bookkeeper.stopPlan(PlanStopOrder(plan: name, gates: .open)).get()
    }
    #expect(try await open(PlanBooks.name).stillGated == ["work"])
    #expect(try await plan.books.state(customer) == .held)
    #expect(try await plan.explain(customer).first?.lifts == "`teller plan start night`")
    #expect(try await open("night").stillGated == [])
    #expect(try await plan.books.told().assignments.map(\.job) == [customer])
  }
}
