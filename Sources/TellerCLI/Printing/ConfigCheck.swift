import CoordinatorSettings
import Decisions
import JobModel
import Teller
import TellerHealth

/// What `teller config check --json` prints.
struct ConfigCheck: Encodable {
  private let file: String?
  private let count: Int
  private let mistakes: [Found]
  private let settings: Settings?

  private struct Found: Encodable {
    let line: Int?
    let problem: String

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(line, forKey: .line)
      try container.encode(problem, forKey: .problem)
    }

    private enum CodingKeys: String, CodingKey { case line, problem }
  }

  private struct Settings: Encodable {
    let broker: String
    let ledger: String
    let health: String?
    let departments: [String]
    let kinds: [String]
    let schedules: [String]
    let plans: [String]
    let notify: [String]
    let live: [String]
    let rules: [String]
    let webhooks: [String]
    let users: [String]?
  }

  init(_ wrong: WrongSettings) {
    (file, count, settings) = (wrong.file, wrong.mistakes.count, nil)
    mistakes = wrong.mistakes.first.map { Found(line: $0.line, problem: $0.problem) }
  }

  init(_ settings: ProcessSettings) {
    (file, count, mistakes) = (settings.file, 0, [])
    let coordinator = settings.coordinator
    self.settings = Settings(
      broker: settings.broker.broker, ledger: settings.ledger, health: settings.health?.description,
      departments: coordinator.departments.keys.map(\.name).sorted(),
      kinds: coordinator.kinds.keys.map(\.name).sorted(),
      schedules: coordinator.schedules.map(\.name).sorted(), plans: coordinator.plans.keys.map(\.name).sorted(),
      notify: OptionalEvent.allCases.filter(coordinator.notify.contains).map(\.rawValue),
      live: LiveEvent.allCases.filter(coordinator.live.contains).map(\.rawValue),
      rules: coordinator.rules.map(\.name.name).sorted(), webhooks: coordinator.webhooks.keys.sorted(),
      users: coordinator.access.users?.keys.sorted().map(\.wrappedValue))
  }
}
