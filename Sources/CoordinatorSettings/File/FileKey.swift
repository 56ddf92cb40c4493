import JobModel

/// The keys of the file.
enum FileKey: String, Hashable, SettingsKey {
  case broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, plans, notify, live, rules
  case webhooks, retention, users
  case brokerFile = "broker_file"
  case priorityWorth = "priority_worth"
  case afterRestore = "after_restore"

  /// The keys that a coordinator uses.
  static let all = Set(allCases)
  /// The keys that say where the broker is, and how to connect.
  static let connection: Set<FileKey> = [.broker, .brokerFile, .tls, .insecure]
  /// The keys that those who deliver webhooks use.
  static let delivery: Set<FileKey> = connection.union([.departments, .kinds, .webhooks])

  /// Whether a key of the file is one of these, or seems to be meant for one of them.
  static func isKey(_ name: String, of keys: Set<FileKey>) -> Bool {
    if keys == all { return true }
    let meant = FileKey(rawValue: name)?.rawValue ?? Suggestion.nearest(to: name, in: allCases.map(\.rawValue))
    return meant.flatMap(FileKey.init).map(keys.contains) == true
  }
}
