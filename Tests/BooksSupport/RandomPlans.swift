import Bookkeeping
import Foundation
import JobModel
import JobTransport

/// Named plans, with gates, steps that go back, and events.
extension RandomBooks {
  static let plan: PlanName = "daily"
  /// What a step that goes back fails with: as ``AttemptResult/broken``.
  private static let goesBack = "broken"

  /// Begins the plan anew when it has ended; else its run is named to whoever asks.
  mutating func beginPlan() async throws {
    let id = newID()
    let steps = [
      PlanStep(name: "first", kind: "step", rank: 1),
      PlanStep(name: "beside", kind: "step", rank: 1, isRequired: false),
      PlanStep(name: "second", kind: "step", rank: 2),
      PlanStep(
        name: "third", kind: "step", rank: 3, isRequired: chance(50), startWithin: chance(20) ? .seconds(600) : nil,
        reentry: Reentry(on: Self.goesBack, from: "first", atMost: 2)),
    ]
    ids += steps.flatMap { step in (1...3).map { JobID(plan: id, step: step.name, round: $0) } }
    let plan = PlanDefinition(
      name: Self.plan, department: "init", steps: steps.shuffled(using: &random),
      events: [
        PlanEvent("push", rank: number(0...4), kind: "step", whenOpen: .run),
        PlanEvent("link", rank: number(0...4), kind: "step", whenOpen: .announce),
      ],
      gates: chance(50) ? ["capped"] : [])
    _ = try await books.bookkeeper.accept([
      Incoming(.plan(PlanSubmission(id: id, definition: plan, reply: chance(50) ? .test : nil)))
    ])
  }

  mutating func sendEvent() async throws {
    let id = chance(20) ? some(of: ids) ?? newID() : newID()
    events.insert(id)
    let event = EventSubmission(
      id: id, name: chance(50) ? "push" : "link", content: JobContent(payload: Array("1".utf8)),
      reply: chance(50) ? .test : nil)
    _ = try await books.bookkeeper.accept([Incoming(.event(event))])
  }

  mutating func choose() async throws {
    let waiting = try await books.bookkeeper.listEvents(EventQuery(state: chance(80) ? .announced : nil, limit: 20))
    guard let event = some(of: waiting.events) else { return }
    let choice = EventChoice(chance(80) ? .accept : .dismiss, event.id, reply: chance(50) ? .other : nil)
    _ = try await books.bookkeeper.accept([Incoming(.choice(choice))])
  }

  /// Nobody waits for an event any more.
  func dismissEvents() async throws {
    for state in [EventState.announced, .kept] {
      let query = EventQuery(state: state, limit: EventQuery.limits.upperBound)
      for event in try await books.bookkeeper.listEvents(query).events {
        _ = try await books.bookkeeper.accept([Incoming(.choice(EventChoice(.dismiss, event.id)))])
      }
    }
  }

  mutating func stopPlan(gates: GateChoice? = nil) async throws {
    let gates = gates ?? some(of: GateChoice.allCases) ?? .keep
    _ = try await books.bookkeeper.stopPlan(PlanStopOrder(plan: Self.plan, gates: gates), command: UUID())
  }
}
