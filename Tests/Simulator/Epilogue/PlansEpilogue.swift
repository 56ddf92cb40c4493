import AuditSupport
import Bookkeeping
import JobModel
import Ledger
import JobTransport

// Plans, when everything is calm.
extension Epilogue {
  private var run: PlanSubmission { run(in: Departments.ordered) }

  private func run(in department: Department) -> PlanSubmission {
    let step = PlanStep(
      name: "first", kind: "step", rank: 1, payload: Script(length: .milliseconds(10)).payload, attempts: 8)
    let definition = PlanDefinition(
      name: "daily", department: department, steps: [step],
      events: [PlanEvent("push", rank: 1, kind: "step", whenOpen: .run)])
    return PlanSubmission(id: world.newID(), definition: definition)
  }

  /// The command may have been sent twice: nothing is begun before the second one has come, too.
  private func stop(_ order: PlanStopOrder) async throws {
    client.command(.stopPlan(order))
    try await wait(for: "the end of a run") { client.isIdle }
    try await world.run(until: world.now + .seconds(3))
  }

  /// A reset is about what was there when it was given: a run that began later goes on, though it has taken over an event.
  func resetsWhatIsThere() async throws {
    let order = PlanStopOrder(plan: "daily", gates: .open)
    try await stop(order)
    let first = run
    client.submit(first.id, try SubmissionCodec.encode(first))
    try await wait(for: "an open plan") { try reading.endState(of: first.id) == LedgerState.succeeded }
    let payload = Script(length: .milliseconds(10), .later, times: 3).payload
    let event = EventSubmission(id: world.newID(), name: "push", plan: "daily", content: JobContent(payload: payload))
    client.submit(event.id, try SubmissionCodec.encode(event))
    try await wait(for: "an event that is tried again") {
      try reading.openRows().contains { $0.id == event.id && $0.isHeld && $0.lastAttempt == "failed" }
    }
    guard world.failures.isEmpty else { return }
    try await reset(order)
  }

  /// Between the reset and the next run nothing else happens.
  private func reset(_ order: PlanStopOrder) async throws {
    let next = run
    _ = try coordinator.withBooks { try $0.stopPlan(order) }
    guard try await books.begin(.reset, JobSelection()) != nil else { return }
    let incoming = Incoming(.plan(next), from: world.hasUsers ? "client" : nil)
    guard try coordinator.withBooks({ try $0.accept([incoming]) }).isEmpty else {
      return fail("a plan that was stopped cannot run again")
    }
    coordinator.follow()
    try await wait(for: "the end of a run that began after a reset") { try reading.endState(of: next.id) != nil }
    guard world.failures.isEmpty else { return }
    if try reading.endState(of: next.id) != LedgerState.succeeded { fail("a reset ends a run that began after it") }
  }

  /// Nobody takes over the name of a plan whose department is none of their business.
  func keepsNames() async throws {
    guard world.hasUsers else { return }
    try await stop(PlanStopOrder(plan: "daily", gates: .open))
    let first = run
    client.submit(first.id, try SubmissionCodec.encode(first))
    try await wait(for: "a plan of that name") { try reading.endState(of: first.id) != nil }
    let other = Incoming(.plan(run(in: Departments.second)), from: Stranger.neighbour)
    guard world.failures.isEmpty, coordinator.phase == .serving else { return }
    if try coordinator.withBooks({ try $0.accept([other]) }).isEmpty {
      fail("a stranger takes over the name of a plan")
    }
    coordinator.follow()
  }
}
