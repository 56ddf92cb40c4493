import AMQP
import Decisions
import JobModel
import Teller
import TellerHealth

/// The content of `teller.yaml`.
struct ConfigurationFile: Decodable {
  /// The settings over the defaults. Schedules are sorted by name.
  var settings = ProcessSettings()
  /// The file that has the broker's URL; nil: none is named.
  var brokerFile: String?

  enum Keys: String, CodingKey, CaseIterable {
    case broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, retention, users
    case brokerFile = "broker_file"
    case priorityWorth = "priority_worth"
  }

  private typealias Container = KeyedDecodingContainer<Keys>

  /// A file that says nothing.
  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    try readBroker(container)
    try readLedger(container)
    settings.health = try container.text(.health) { text throws(BadValue) in try HealthAddress(setting: text) }
    settings.coordinator = try ConfigurationFile.coordinator(container)
  }

  private mutating func readBroker(_ container: Container) throws {
    let broker = try container.text(.broker) { text throws(BrokerURLError) in try BrokerURL(text) }
    brokerFile = try container.path(.brokerFile)
    if broker != nil && brokerFile != nil {
      throw container.problem(.brokerFile, "`broker:` is there, too: keep one of them")
    }
    if let broker { settings.broker.brokerURL = broker }
    if let tls = try container.decodeIfPresent(TLSSettings.self, forKey: .tls) { settings.broker.tls = tls }
    if let insecure = try container.decodeIfPresent(Bool.self, forKey: .insecure) {
      settings.broker.allowsPlaintext = insecure
    }
  }

  private mutating func readLedger(_ container: Container) throws {
    let ledger = try container.text(.ledger) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    if let ledger { settings.ledger = ledger }
  }

  private static func coordinator(_ container: Container) throws -> CoordinatorConfiguration {
    let departments = try container.decodeIfPresent([String: DepartmentSettings].self, forKey: .departments) ?? [:]
    let kinds = try container.decodeIfPresent([String: KindSettings].self, forKey: .kinds) ?? [:]
    let lease = try container.duration(.lease, within: CoordinatorConfiguration.leaseLimits)
    let schedules = try container.decodeIfPresent([String: CronSchedule].self, forKey: .schedules) ?? [:]
    let retention = try container.decodeIfPresent(RetentionSettings.self, forKey: .retention)
    let worth = try container.duration(.priorityWorth, within: CoordinatorConfiguration.priorityWorthLimits)
    return CoordinatorConfiguration(
      departments: departments.keyed(by: Department.init), kinds: kinds.keyed(by: JobKind.init),
      lease: lease ?? CoordinatorConfiguration.defaultLease, schedules: schedules.values.sorted { $0.name < $1.name },
      retention: retention ?? RetentionSettings(), priorityWorth: worth ?? Standing.levelWorth,
      access: Access(users: try container.users(.users)))
  }
}

extension CoordinatorConfiguration {
  /// What `lease:` may say. A worker sends its presence every two seconds: less than twice that would be no silence.
  fileprivate static let leaseLimits: ClosedRange<Duration> = .seconds(5)...(.seconds(86_400))
  /// What `priority_worth:` may say: up to a year.
  fileprivate static let priorityWorthLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))
}

extension Dictionary where Key == String {
  /// The same by names. A text that is no name has been refused before.
  fileprivate func keyed<Name: Hashable>(by name: (String) -> Name?) -> [Name: Value] {
    reduce(into: [:]) { named, entry in
      if let name = name(entry.key) { named[name] = entry.value }
    }
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
