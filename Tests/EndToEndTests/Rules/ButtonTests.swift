import Foundation
import SystemSupport
import TestSupport
import Testing

/// Story 5: a button that is pressed twice.
@Suite("A button that is pressed twice")
struct ButtonTests {
  /// An error of the login makes one alert, an alert one navigation.
  private static let rules = """
    rules:
      alert:
        on: {event: failed, kind: effect, error: asked_to_fail}
        submit: {kind: echo, key: "${key}", payload: {text: "login failed: ${message}", of: "${payload.permanent}"}}
      navigation:
        on: {event: succeeded, kind: echo}
        submit: {kind: noop, key: "${key}"}

    """

  @Test("is one login, one result for both, one alert and one navigation; after a reset it all happens again, once")
  func twice() async throws {
    let system = try await TellerSystem.onSharedBroker(more: Self.rules)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let watch = try system.launch("teller", ["watch", "--since", "start", "--json"])
    var logins: Set<String> = []
    for round in 1...2 {
      async let first = press(system)
      async let second = press(system)
      let presses = [try await first, try await second]
      #expect(presses.allSatisfy { $0.objects.contains { $0["event"] as? String == "failed" } }, "\(presses)")
      let held = Set(presses.compactMap(Self.job))
      let job = try #require(held.first)
      #expect(held.count == 1, "both hold the failure of the same job: \(presses)")
      logins.insert(job)
      try await eventually("the navigation of round \(round)", within: TellerSystem.limit, lastState: { system.logs }) {
        ended("noop", in: watch).count == round
      }
      let late = try await system.ask("outcome", "--kind", "effect", "--key", "login", "--json")
      #expect(late.objects.first?["job"] as? String == job, "who comes late holds it, too")
      #expect(try await system.teller("keys", "reset", "effect", "login", "--yes").status == 0)
      #expect(try await system.ask("outcome", "--kind", "effect", "--key", "login").status == 67, "as if it never was")
    }
    #expect(ended("effect", in: watch).count == 2 && Set(ended("effect", in: watch)) == logins)
    #expect(ended("echo", in: watch).count == 2 && ended("noop", in: watch).count == 2)
    #expect(system.effects.count == 2, "one run of each login")
    let alert = try await system.ask("show", ended("echo", in: watch)[0], "--payload")
    #expect(
      alert.lines == [#"{"text":"login failed: attempt 1 fails because the payload asks for it","of":true}"#])
    for process in [watch, worker, coordinator] { try await process.close() }
  }

  private func press(_ system: TellerSystem) async throws -> TellerSystem.Ended {
    try await system.ask(
      "submit", "effect", "--key", "login", "--payload", #"{"permanent": true}"#, "--wait", "--json")
  }

  /// The job whose outcome somebody was told.
  private static func job(of press: TellerSystem.Ended) -> String? {
    let objects = press.objects
    return objects.lazy.compactMap { $0["duplicate_of"] as? String }.first
      ?? objects.lazy.compactMap { $0["job"] as? String }.first
  }

  /// The jobs of a kind whose outcome the watcher was told.
  private func ended(_ kind: String, in watch: RunningProcess) -> [String] {
    watch.text(of: .standardOutput).compactMap { line in
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
      guard object?["kind"] as? String == kind, object?["seq"] != nil else { return nil }
      return object?["job"] as? String
    }
  }
}
