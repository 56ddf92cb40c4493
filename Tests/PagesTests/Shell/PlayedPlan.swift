import SystemSupport
import Teller
import TestSupport

/// The plan that the pages speak of. A program submits it: the coordinator's file of these tests has none.
enum PlayedPlan {
  private static let steps = [("network check", 1), ("user information", 3), ("app version", 3)]

  private static var plan: Plan {
    Plan(
      "opening", department: "init", gates: ["deposit", "loan"],
      steps: steps.map { name, rank in
        let payload: JSONValue = .object(["name": .string(name), "milliseconds": .int(1)])
        return Plan.Step(name, kind: "init-step", rank: rank, payload: payload)
      }, events: [PlanEvent("push", rank: 5, kind: "noop", whenOpen: .announce)])
  }

  /// Returns the run of the open plan: a new one, if it is not open.
  static func open(on system: TellerSystem) async throws -> String {
    let client = try await TellerClient.connect(TellerConfiguration(broker: system.brokerURL))
    let run = try await client.submit(plan)
    try await run.accepted(timeout: TellerSystem.limit)
    let outcome = try await run.outcome(timeout: TellerSystem.limit)
    await client.close()
    if let failure = outcome.failure { throw JobError.failed(run.id, failure) }
    return (run.duplicateOf ?? run.id).description
  }
}
