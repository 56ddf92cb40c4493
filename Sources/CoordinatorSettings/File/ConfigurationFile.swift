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

  /// Reads the text of a file. What cannot be used is a mistake, and has its default. Of keys that are not used, the mistakes
  /// are counted alone.
  init(yaml: String, using keys: Set<FileKey> = FileKey.all, _ mistakes: inout Mistakes) {
    guard let root = YAMLTree.read(yaml, &mistakes) else {
      lines.isUnreadable = mistakes.count > 0
      return
    }
    let used = root.part { FileKey.isKey($0, of: keys) }
    let before = mistakes.count
    guard let block = SettingsBlock<FileKey>(used, named: "the file", &mistakes) else {
      lines.isUnreadable = true
      return
    }
    read(block, &mistakes)
    guard used.mapping?.count != root.mapping?.count else { return }
    // With the used keys: the others name what stands there.
    mistakes.count(besides: mistakes.count - before) { mistakes in
      var all = ConfigurationFile()
      if let block = SettingsBlock<FileKey>(root, named: "the file", &mistakes) { all.read(block, &mistakes) }
    }
  }

  private mutating func read(_ block: SettingsBlock<FileKey>, _ mistakes: inout Mistakes) {
    readBroker(block, &mistakes)
    readTLS(block, &mistakes)
    let ledger = block.value(.ledger, &mistakes) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    if let ledger { settings.ledger = ledger }
    settings.health = block.value(.health, &mistakes) { text throws(BadValue) in try HealthAddress(setting: text) }
    let parts = CoordinatorParts(block, &mistakes)
    (settings.coordinator, lines.webhooks) = (parts.configuration, parts.webhookLines)
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

extension Node {
  /// The lines of a block whose key passes the test; a node that is no block is whole.
  fileprivate func part(where isWanted: (String) -> Bool) -> Node {
    guard let mapping else { return self }
    let lines = mapping.filter { isWanted($0.key.duplicateOf ?? $0.key.string ?? "") }.map { ($0.key, $0.value) }
    return .mapping(Mapping(lines, mapping.tag, mapping.style, mapping.mark))
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
  var webhooks: [String: WebhookLines] = [:]
  /// Something stands under `departments:`, perhaps with mistakes.
  var namesDepartments = false
  var isBrokerBroken = false
  /// The text is no YAML, or no settings at all: nothing follows from what is missing.
  var isUnreadable = false
}
