import AMQP
import JobModel
import Yams

/// The content of `teller.yaml`.
struct ConfigurationFile: Decodable {
  var broker: BrokerURL?
  var brokerFile: String?
  var tls: TLSSettings?
  var insecure: Bool?
  var ledger: String?
  var lease: Duration?
  var health: HealthAddress?
  var departments: [String: DepartmentSettings]
  var kinds: [String: KindSettings]
  var schedules: [String: ScheduleSettings]
  var retention: RetentionSettings?
  var priorityWorth: Duration?
  var users: [String: UserSettings]?

  enum Keys: String, CodingKey, CaseIterable {
    case broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, retention, users
    case brokerFile = "broker_file"
    case priorityWorth = "priority_worth"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    broker = try container.text(.broker) { text throws(BrokerURLError) in try BrokerURL(text) }
    brokerFile = try container.path(.brokerFile)
    if broker != nil && brokerFile != nil {
      throw container.problem(.brokerFile, "`broker:` is there, too: keep one of them")
    }
    tls = try container.decodeIfPresent(TLSSettings.self, forKey: .tls)
    insecure = try container.decodeIfPresent(Bool.self, forKey: .insecure)
    ledger = try container.text(.ledger) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    lease = try container.duration(.lease, within: TellerConfiguration.leaseLimits)
    health = try container.text(.health) { text throws(BadValue) in try HealthAddress(setting: text) }
    departments = try container.decodeIfPresent([String: DepartmentSettings].self, forKey: .departments) ?? [:]
    kinds = try container.decodeIfPresent([String: KindSettings].self, forKey: .kinds) ?? [:]
    schedules = try container.decodeIfPresent([String: ScheduleSettings].self, forKey: .schedules) ?? [:]
    retention = try container.decodeIfPresent(RetentionSettings.self, forKey: .retention)
    users = try container.users(.users)
    priorityWorth = try container.duration(.priorityWorth, within: TellerConfiguration.priorityWorthLimits)
  }
}

extension KeyedDecodingContainer {
  /// The users; nil when the key is not there. An empty list is refused: no user could do anything.
  fileprivate func users(_ key: Key) throws -> [String: UserSettings]? {
    guard contains(key) else { return nil }
    let users = try decodeNil(forKey: key) ? [:] : decode([String: UserSettings].self, forKey: key)
    if users.isEmpty {
      throw problem(key, "it names nobody, so that nobody may do anything: name the users, or leave it out")
    }
    return users
  }
}
