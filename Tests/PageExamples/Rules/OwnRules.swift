import Teller
import TellerCoordinator

func coordinate() async throws {
  let alert = Rule(
    "alert", on: EventFilter(events: ["failed"], kinds: ["login"]),
    submit: RuleJob("alert", payload: try RuleTemplate(json: #"{"text": "login failed: ${message}"}"#)))
  let coordinator = try Coordinator(file: "teller.yaml", rules: [alert])
  try await coordinator.run()
}
