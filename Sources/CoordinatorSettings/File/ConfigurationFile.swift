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
    let (used, unused) = root.parted { FileKey.isKey($0, of: keys) }
    guard let block = SettingsBlock<FileKey>(used, named: "the file", &mistakes) else {
      lines.isUnreadable = true
      return
    }
    read(block, &mistakes)
    mistakes.onlyCounting { mistakes in
      var others = ConfigurationFile()
      if let block = SettingsBlock<FileKey>(unused, named: "the file", &mistakes) { others.read(block, &mistakes) }
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
  /// The block in two: the lines whose key passes the test, and the other lines. A node that is no block is in the first
  /// part.
  fileprivate func parted(by isFirst: (String) -> Bool) -> (Node, Node) {
    guard let mapping else { return (self, [:]) }
    let lines = mapping.map { ($0.key, $0.value) }
    let names = lines.map { $0.0.duplicateOf ?? $0.0.string ?? "" }
    func part(_ isWanted: (String) -> Bool) -> Node {
      let part = zip(lines, names).filter { isWanted($1) }.map(\.0)
      return .mapping(Mapping(part, mapping.tag, mapping.style, mapping.mark))
    }
    return (part(isFirst), part { !isFirst($0) })
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
