import CoordinatorSettings
import Decisions
import JobModel
import Teller
import TellerHealth

/// The settings of a coordinator, for people.
enum SettingsText {
  /// One line for each part of the settings, without the broker's password.
  static func lines(_ settings: ProcessSettings) -> [String] {
    let coordinator = settings.coordinator
    return [
      "file         \(settings.file ?? "none")",
      "broker       \(settings.broker.broker)",
      "ledger       \(settings.ledger)",
      "health       \(settings.health?.description ?? "nowhere")",
      "departments  \(names(coordinator.departments.keys.map(\.name)))",
      "kinds        \(names(coordinator.kinds.keys.map(\.name)))",
      "schedules    \(names(coordinator.schedules.map(\.name)))",
      "plans        \(names(coordinator.plans.keys.map(\.name)))",
      "notify       \(coordinator.notify.words)",
      "live         \(coordinator.live.isEmpty ? "none" : coordinator.live.words)",
      "rules        \(names(coordinator.rules.map(\.name.name)))",
      "webhooks     \(names(Array(coordinator.webhooks.keys)))",
      "users        \(coordinator.access.users.map { names($0.keys.map(\.wrappedValue)) } ?? "everybody whom the broker lets in")",
    ]
  }

  private static func names(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.sorted().map(\.onOneLine).joined(separator: ", ")
  }
}
