import AMQP
import Foundation
import Teller
import TellerHealth

/// Reads the settings of a process from the file and the environment, and collects all that is wrong.
struct SettingsLoading {
  private let environment: [String: String]
  private let keys: Set<FileKey>
  private(set) var settings = ProcessSettings()
  private var content = ConfigurationFile()
  private var mistakes = Mistakes()
  /// Whether the broker is named by the file.
  private var isBrokerOfFile = false
  /// The broker is not known, so nothing is said about the way to it.
  private var isBrokerUnknown = false

  /// Where settings stand in the file.
  var lines: SettingLines { content.lines }

  /// `keys`: the keys of the file that are used.
  init(_ environment: [String: String], using keys: Set<FileKey>) {
    (self.environment, self.keys) = (environment, keys)
  }

  /// The environment variables that are read beside the broker's.
  enum Variable {
    static let ledger = "TELLER_LEDGER"
    static let health = "TELLER_HEALTH"
    static let file = "TELLER_CONFIG"
  }

  /// The file that is read when no other is named, if it exists.
  private static let defaultFile = "teller.yaml"
  /// The largest file that is read, in bytes.
  private static let fileLimit = 1 << 20

  /// - Throws: `WrongSettings` when there is a mistake.
  func result() throws(WrongSettings) -> ProcessSettings {
    if mistakes.count > 0 { throw WrongSettings(file: settings.file, mistakes: mistakes) }
    var settings = settings
    settings.mistakesInUnusedKeys = mistakes.inUnusedKeys
    return settings
  }

  /// Does something that may find a mistake, which is on that line of the file, or on none.
  @discardableResult
  mutating func collect<Value>(
    at line: Int? = nil, _ body: (inout SettingsLoading) throws(ConfigurationError) -> Value
  ) -> Value? {
    do throws(ConfigurationError) {
      return try body(&self)
    } catch {
      mistakes.note(line: line, error.description)
      return nil
    }
  }
}

// MARK: - Steps

extension SettingsLoading {
  mutating func readFile(_ named: String?) {
    let file = named ?? environment.setting(Variable.file)
    if file == nil, !FileManager.default.fileExists(atPath: SettingsLoading.defaultFile) { return }
    let path = file ?? SettingsLoading.defaultFile
    let text = collect { _ throws(ConfigurationError) in
      try SmallFile.text(of: path, limit: SettingsLoading.fileLimit)
    }
    settings.file = path
    guard let text else {
      content.lines.isUnreadable = true
      return isBrokerUnknown = true
    }
    content = ConfigurationFile(yaml: text, using: keys, &mistakes)
    settings = content.settings
    settings.file = path
    isBrokerUnknown = content.lines.isUnreadable
  }

  /// Notes that there is nothing to deliver.
  mutating func noteNoWebhooks() {
    if mistakes.count > 0 || content.lines.isUnreadable { return }
    mistakes.note(
      line: settings.file == nil ? nil : 1, "there are no webhooks: name them under `webhooks:` in teller.yaml")
  }

  mutating func takeLedger(_ flag: String?) {
    if let ledger = flag ?? environment.setting(Variable.ledger) { settings.ledger = ledger }
  }

  mutating func takeHealth() {
    guard let text = environment.setting(Variable.health) else { return }
    do throws(BadValue) {
      settings.health = try HealthAddress(setting: text)
    } catch {
      mistakes.note(line: nil, "\(Variable.health): \(error.description)")
    }
  }

  mutating func takeBroker(_ flag: String?, isPlaintextAllowed: Bool) {
    let environment = environment
    let isNamed = collect { loading throws(ConfigurationError) in
      try loading.settings.broker.overrideBroker(flag: flag, environment)
    }
    switch isNamed {
    case true?: isBrokerUnknown = false
    case nil: isBrokerUnknown = true
    case false?: readBrokerOfFile()
    }
    settings.broker.overrideTLS(environment)
    collect(at: content.lines.certificate ?? content.lines.key) { loading throws(ConfigurationError) in
      try loading.settings.broker.checkPair()
    }
    collect { loading throws(ConfigurationError) in try loading.settings.broker.overridePlaintext(environment) }
    if isPlaintextAllowed { settings.broker.allowsPlaintext = true }
  }

  private mutating func readBrokerOfFile() {
    isBrokerOfFile = true
    if content.lines.isBrokerBroken { isBrokerUnknown = true }
    guard let file = content.brokerFile else { return }
    let read: Void? = collect(at: content.lines.brokerFile) { loading throws(ConfigurationError) in
      try loading.settings.broker.readBroker(from: file)
    }
    if read == nil { isBrokerUnknown = true }
  }
}

// MARK: - For a coordinator

extension SettingsLoading {
  /// Looks for what no coordinator can use.
  mutating func checkForCoordinator() {
    if !content.lines.isUnreadable, !content.lines.namesDepartments {
      mistakes.note(
        line: settings.file == nil ? nil : content.lines.departments ?? 1,
        "there are no departments: name them under `departments:` in teller.yaml")
    }
    if isBrokerUnknown { return }
    if settings.broker.brokerURL.isSecure { checkTLS() }
    let line = isBrokerOfFile ? content.lines.broker ?? content.lines.brokerFile : nil
    do throws(ConfigurationError) {
      try settings.broker.checkEncryption()
    } catch .notEncrypted(let host) {
      mistakes.note(line: line, ProcessSettings.notEncrypted(host))
    } catch {
      mistakes.note(line: line, error.description)
    }
  }

  private mutating func checkTLS() {
    let named = content.settings.broker.tls
    for problem in settings.broker.brokerURL.tls.problems() where problem != .halfOfPair {
      let line: Int? =
        switch problem {
        case .file(.authorities, named.ca, _): content.lines.ca
        case .file(.certificate, named.certificate, _): content.lines.certificate
        case .file(.key, named.key, _): content.lines.key
        default: nil
        }
      mistakes.note(line: line, problem.description)
    }
  }
}
