/// The keys of the file.
enum FileKey: String, SettingsKey {
  case broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, retention, users
  case brokerFile = "broker_file"
  case priorityWorth = "priority_worth"
}
