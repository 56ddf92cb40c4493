import Decisions
import JobModel

extension DepartmentSettings {
  /// What `window:` may say.
  private static let windowLimits = 1...1_000_000
  /// What `cap:` may say.
  private static let capLimits = 1...1_000_000

  enum Keys: String, SettingsKey {
    case ordered, window, cap, notify
  }

  /// Reads `ordered:`, `window:`, `cap:` and `notify:`; a department without any of them has the defaults.
  init(_ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    self.init(
      isOrdered: block.flag(.ordered, &mistakes) ?? false,
      window: block.number(.window, within: DepartmentSettings.windowLimits, &mistakes),
      cap: block.number(.cap, within: DepartmentSettings.capLimits, &mistakes))
    notify = block.notify(.notify, of: OptionalEvent.ofDepartments, &mistakes)
    guard isOrdered else { return }
    for key in [Keys.window, .cap] where block[key] != nil {
      block.note(key, "an ordered department has no \(key.rawValue): one job runs at a time", &mistakes)
    }
  }
}
