import CoordinatorSettings
import Decisions

/// Says what is wrong with the settings of a coordinator.
enum ConfigurationExamination {
  static func findings(_ settings: Result<ProcessSettings, WrongSettings>) -> [Finding] {
    switch settings {
    case .success(let settings):
      let count = settings.coordinator.departments.count
      let departments = count == 1 ? "1 department" : "\(count) departments"
      return [.ok(.configuration, "\(settings.file ?? "the environment") has no mistake, and \(departments)")]
    case .failure(let wrong):
      return wrong.lines.map { .wrong(.configuration, $0, cure: "correct it: see Deploy/configuration.md") }
    }
  }
}
