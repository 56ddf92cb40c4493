import ClientSupport
import SystemSupport
import Teller
import TestSupport

/// The plans that the pages speak of. The first has no gates here: other pages submit jobs without opening it.
enum PlayedPlan {
  static let file = opening + first

  /// The first plan of its page, as the page has it.
  private static let first = BlockTests.blocks("yaml").first { $0.text.contains("  morning:") }?.text ?? ""

  private static let opening = """
    plans:
      opening:
        department: init
        steps:
          - {name: network check, rank: 1, kind: init-step, payload: {milliseconds: 1}}
          - {name: user information, rank: 3, kind: init-step, payload: {milliseconds: 1}}
          - {name: app version, rank: 3, kind: init-step, payload: {milliseconds: 1}}
        events:
          - {name: push, rank: 5, kind: noop, when_open: announce}

    """

  /// Returns the run of the open plan: a new one, if it is not open.
  static func open(on system: TellerSystem) async throws -> String {
    let client = try await TellerClient.connect(
      TellerConfiguration(broker: system.brokerURL), timeouts: .patient)
    let run = try await client.startPlan("opening")
    try await run.accepted(timeout: TellerSystem.limit)
    let outcome = try await run.outcome(timeout: TellerSystem.limit)
    await client.close()
    if let failure = outcome.failure { throw JobError.failed(run.id, failure) }
    return (run.duplicateOf ?? run.id).description
  }
}
