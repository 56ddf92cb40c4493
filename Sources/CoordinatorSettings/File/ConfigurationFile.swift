import AMQP
import Teller
import TellerHealth
import Yams

/// The content of `teller.yaml`.
struct ConfigurationFile {
  /// The settings over the defaults. Schedules are sorted by name.
  var settings = ProcessSettings()
  /// The file that has the broker's URL; nil: none is named.
  private(set) var brokerFile: String?
  /// Where settings stand that are looked at again when the environment is known.
  var lines = SettingLines()

  /// A file that says nothing.
  init() {}

  /// Reads the text of a file. What cannot be used is a mistake, and has its default.
  ///
  /// - Parameters:
  ///   - yaml: The text.
  ///   - mistakes: Gets the mistakes that concern every process.
  ///   - coordinatorMistakes: Gets the mistakes of settings that a coordinator alone uses.
  init(yaml: String, _ mistakes: inout Mistakes, coordinator coordinatorMistakes: inout Mistakes) {
    guard let root = YAMLTree.read(yaml, &mistakes) else {
      lines.isUnreadable = mistakes.count > 0
      return
    }
    guard let block = SettingsBlock<FileKey>(root, named: "the file", &mistakes) else {
      lines.isUnreadable = true
      return
    }
    readBroker(block, &mistakes)
    readTLS(block, &mistakes)
    let ledger = block.value(.ledger, &mistakes) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    if let ledger { settings.ledger = ledger }
    settings.health = block.value(.health, &coordinatorMistakes) { text throws(BadValue) in
      try HealthAddress(setting: text)
    }
    settings.coordinator = CoordinatorParts(block, &coordinatorMistakes).configuration
    lines.departments = block[.departments]?.line
    lines.namesDepartments = block[.departments]?.isNothing == false && block[.departments]?.mapping?.isEmpty != true
  }

  private mutating func readBroker(_ block: SettingsBlock<FileKey>, _ mistakes: inout Mistakes) {
    let broker = block.value(.broker, isSecret: true, &mistakes) { text throws(BrokerURLError) in try BrokerURL(text) }
    brokerFile = block.path(.brokerFile, &mistakes)
    if block[.broker] != nil && block[.brokerFile] != nil {
      block.note(.brokerFile, "`broker:` is there, too: keep one of them", &mistakes)
    }
    if let broker { settings.broker.brokerURL = broker }
    (lines.broker, lines.brokerFile) = (block[.broker]?.line, block[.brokerFile]?.line)
    lines.isBrokerBroken = block[.broker] != nil && broker == nil
    if let insecure = block.flag(.insecure, &mistakes) { settings.broker.allowsPlaintext = insecure }
  }

  private mutating func readTLS(_ block: SettingsBlock<FileKey>, _ mistakes: inout Mistakes) {
    guard let tls = block.inner(.tls, TLSSettings.Keys.self, &mistakes) else { return }
    settings.broker.tls = TLSSettings(tls, &mistakes)
    (lines.ca, lines.certificate, lines.key) = (tls[.ca]?.line, tls[.certificate]?.line, tls[.key]?.line)
  }
}

/// The lines of settings, where the file has them.
struct SettingLines {
  var broker: Int?
  var brokerFile: Int?
  var ca: Int?
  var certificate: Int?
  var key: Int?
  var departments: Int?
  /// Something stands under `departments:`, perhaps with mistakes.
  var namesDepartments = false
  var isBrokerBroken = false
  /// The text is no YAML, or no settings at all: nothing follows from what is missing.
  var isUnreadable = false
}
