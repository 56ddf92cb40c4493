import Decisions
import JobModel

extension DepartmentSettings {
  /// What `window:` may say.
  private static let windowLimits = 1...1_000_000
  /// What `cap:` may say.
  private static let capLimits = 1...1_000_000
  /// What `ahead:` may say.
  private static let aheadLimits = 0...mostAhead

  enum Keys: String, SettingsKey {
    case ordered, window, cap, ahead, notify
  }

  /// Reads `ordered:`, `window:`, `cap:`, `ahead:` and `notify:`; a department without any of them has the defaults.
  init(_ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    self.init(
      isOrdered: block.flag(.ordered, &mistakes) ?? false,
      window: block.number(.window, within: DepartmentSettings.windowLimits, &mistakes),
      cap: block.number(.cap, within: DepartmentSettings.capLimits, &mistakes),
      ahead: block.number(.ahead, within: DepartmentSettings.aheadLimits, &mistakes) ?? 0)
    notify = block.notify(.notify, of: OptionalEvent.ofDepartments, &mistakes)
    checkAhead(block, &mistakes)
    guard isOrdered else { return }
    for key in [Keys.window, .cap] where block[key] != nil {
      block.note(key, "an ordered department has no \(key.rawValue): one job runs at a time", &mistakes)
    }
  }

  /// A job that is taken ahead is released, and waits for a certain worker: it would keep the only place, or one of few,
  /// from jobs that could run.
  private mutating func checkAhead(_ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    guard ahead > 0, isOrdered || cap != nil else { return }
    let reason =
      isOrdered
      ? "an ordered department takes no job ahead: one job runs at a time"
      : "a department with a cap takes no job ahead: it would have a place of the cap, and not run"
    block.note(.ahead, "\(reason); leave out `ahead`", &mistakes)
    ahead = 0
  }
}
