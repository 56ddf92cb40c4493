import JobModel

/// The words for what is different between two settings.
enum SettingsChanges {
  /// A value that is different, as in `cap 3 → 5`; nothing when the values are equal.
  static func value(_ name: String, _ old: String?, _ new: String?) -> [String] {
    old == new ? [] : ["\(name) \(old ?? "none") → \(new ?? "none")"]
  }

  static func value(_ name: String, _ old: Int?, _ new: Int?) -> [String] {
    value(name, old.map(String.init), new.map(String.init))
  }

  static func value(_ name: String, _ old: Duration?, _ new: Duration?) -> [String] {
    value(name, old?.written, new?.written)
  }

  /// Settings that have names, as in `department loan: cap 3 → 5`: those that are new, those that are gone, and those that
  /// are different.
  static func named<Name: Hashable & CustomStringConvertible, Settings: Equatable>(
    _ what: String, _ old: [Name: Settings], _ new: [Name: Settings], separator: String = ", ",
    _ changes: (Settings, Settings) -> [String]
  ) -> [String] {
    let names = Set(old.keys).union(new.keys).map { (text: $0.description, name: $0) }.sorted { $0.text < $1.text }
    return names.compactMap { text, name in
      let words: String
      switch (old[name], new[name]) {
      case (nil, nil): return nil
      case (nil, _?): words = "new"
      case (_?, nil): words = "removed"
      case (let old?, let new?):
        if old == new { return nil }
        words = changes(old, new).joined(separator: separator)
        // Another text for the same.
        if words.isEmpty { return nil }
      }
      return "\(what) \(text): \(words)"
    }
  }
}

extension DepartmentSettings {
  func changes(to new: DepartmentSettings) -> [String] {
    SettingsChanges.value("cap", cap, new.cap)
      + SettingsChanges.value("window", window ?? Window.defaultLimit, new.window ?? Window.defaultLimit)
      + SettingsChanges.value("ahead", ahead, new.ahead)
      + SettingsChanges.value("notify", notify?.words, new.notify?.words)
  }
}

extension KindSettings {
  func changes(to new: KindSettings) -> [String] {
    SettingsChanges.value("department", department?.name, new.department?.name)
      + SettingsChanges.value("attempts", attempts, new.attempts)
      + SettingsChanges.value("timeout", timeout, new.timeout)
      + SettingsChanges.value("start_within", startWithin, new.startWithin)
      + SettingsChanges.value("retry", retry?.text, new.retry?.text)
  }
}

extension RetrySettings {
  fileprivate var text: String {
    "(first \(first.written), factor \(factor), max \(longest.written), jitter \(Int((jitter * 100).rounded())))"
  }
}

extension CronSchedule {
  /// A payload is not shown: it may hold what is not everybody's business.
  func changes(to new: CronSchedule) -> [String] {
    SettingsChanges.value("cron", expression.description, new.expression.description)
      + SettingsChanges.value("timezone", timeZone.name, new.timeZone.name)
      + (timeZone.name == new.timeZone.name && timeZone != new.timeZone ? ["new data of its timezone"] : [])
      + SettingsChanges.value("kind", kind.name, new.kind.name)
      + SettingsChanges.value("department", department?.name, new.department?.name)
      + (payload == new.payload ? [] : ["another payload"])
      + SettingsChanges.value("priority", priority?.level, new.priority?.level)
      + SettingsChanges.value("attempts", attempts, new.attempts)
      + SettingsChanges.value("missed", missed.rawValue, new.missed.rawValue)
  }
}

extension Rule {
  /// A payload is not shown, either.
  func changes(to new: Rule) -> [String] {
    (on == new.on ? [] : ["another \"on\""])
      + SettingsChanges.value("kind", submit.kind.name, new.submit.kind.name)
      + SettingsChanges.value("department", submit.department?.name, new.submit.department?.name)
      + (submit.payload == new.submit.payload ? [] : ["another payload"])
      + SettingsChanges.value("priority", submit.priority.level, new.submit.priority.level)
      + (submit.key == new.submit.key ? [] : ["another key"])
      + SettingsChanges.value("key_window", submit.keyWindow?.text, new.submit.keyWindow?.text)
      + SettingsChanges.value("delay", submit.delay, new.submit.delay)
      + SettingsChanges.value("attempts", submit.attempts, new.submit.attempts)
  }
}

extension KeyWindow {
  fileprivate var text: String {
    switch self {
    case .lasting(let duration): duration.written
    case .whileLive: KeyWindow.whileLiveWord
    }
  }
}

extension RetentionSettings {
  func changes(to new: RetentionSettings) -> [String] {
    SettingsChanges.value("time", time, new.time)
      + SettingsChanges.value("size", size.map { "\($0) bytes" }, new.size.map { "\($0) bytes" })
      + SettingsChanges.value("subscribers", subscribers, new.subscribers)
  }
}

extension Access {
  func changes(to new: Access) -> [String] {
    if (users == nil) != (new.users == nil) {
      return SettingsChanges.value(
        "users", users.map { "\($0.count)" } ?? "all", new.users.map { "\($0.count)" } ?? "all")
    }
    return SettingsChanges.named("user", users ?? [:], new.users ?? [:]) { $0.changes(to: $1) }
  }
}

extension UserSettings {
  func changes(to new: UserSettings) -> [String] {
    SettingsChanges.value("role", role.rawValue, new.role.rawValue)
      + SettingsChanges.value("departments", departments.names, new.departments.names)
  }
}

extension Set where Element: CaseIterable & RawRepresentable<String> {
  /// In the order of the documentation.
  package var words: String {
    isEmpty ? "[]" : Element.allCases.filter(contains).map(\.rawValue).joined(separator: ",")
  }
}

extension [Department]? {
  fileprivate var names: String { self?.map(\.name).joined(separator: ",") ?? "all" }
}
