import AMQP
import JobModel
import Yams

/// The content of `teller.yaml`.
struct ConfigurationFile: Decodable {
  /// The settings over the defaults, without the kinds and the schedules.
  var settings = TellerConfiguration()
  var kinds: [String: KindSettings]
  var schedules: [String: ScheduleSettings]

  enum Keys: String, CodingKey, CaseIterable {
    case broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, retention, users
    case brokerFile = "broker_file"
    case priorityWorth = "priority_worth"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    let broker = try container.text(.broker) { text throws(BrokerURLError) in try BrokerURL(text) }
    settings.brokerFile = try container.path(.brokerFile)
    if broker != nil && settings.brokerFile != nil {
      throw container.problem(.brokerFile, "`broker:` is there, too: keep one of them")
    }
    if let broker { settings.brokerURL = broker }
    if let tls = try container.decodeIfPresent(TLSSettings.self, forKey: .tls) { settings.tls = tls }
    if let insecure = try container.decodeIfPresent(Bool.self, forKey: .insecure) {
      settings.allowsPlaintext = insecure
    }
    let ledger = try container.text(.ledger) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    if let ledger { settings.ledger = ledger }
    if let lease = try container.duration(.lease, within: TellerConfiguration.leaseLimits) { settings.lease = lease }
    settings.health = try container.text(.health) { text throws(BadValue) in try HealthAddress(setting: text) }
    let departments = try container.decodeIfPresent([String: DepartmentSettings].self, forKey: .departments)
    for (name, ofDepartment) in departments ?? [:] {
      if let department = Department(name) { settings.departments[department] = ofDepartment }
    }
    kinds = try container.decodeIfPresent([String: KindSettings].self, forKey: .kinds) ?? [:]
    schedules = try container.decodeIfPresent([String: ScheduleSettings].self, forKey: .schedules) ?? [:]
    let retention = try container.decodeIfPresent(RetentionSettings.self, forKey: .retention)
    if let retention { settings.retention = retention }
    settings.users = try container.users(.users)
    let worth = try container.duration(.priorityWorth, within: TellerConfiguration.priorityWorthLimits)
    if let worth { settings.priorityWorth = worth }
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
