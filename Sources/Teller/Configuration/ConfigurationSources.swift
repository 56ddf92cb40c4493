import AMQP
public import Foundation

extension TellerConfiguration {
  /// The environment variables that are read.
  enum Variable {
    static let broker = "TELLER_BROKER_URL"
    static let brokerFile = "TELLER_BROKER_URL_FILE"
    static let brokerCA = "TELLER_BROKER_CA"
    static let brokerCertificate = "TELLER_BROKER_CERTIFICATE"
    static let brokerKey = "TELLER_BROKER_KEY"
    static let insecure = "TELLER_INSECURE"
    static let ledger = "TELLER_LEDGER"
    static let health = "TELLER_HEALTH"
    static let file = "TELLER_CONFIG"
  }

  /// The file that is read when no other is named, if it exists.
  package static let defaultFile = "teller.yaml"

  /// Loads the configuration of this process. A setting is taken from the first of: the arguments of this call, the
  /// environment, the file, the default. An empty environment variable counts as not set.
  ///
  /// - Parameters:
  ///   - broker: The broker's URL, from a flag. Better in the environment: every user of a machine can see arguments.
  ///   - ledger: The path of the ledger, from a flag.
  ///   - file: The path of the file. A file that is named here or in `TELLER_CONFIG` must exist; else `./teller.yaml` is
  ///     read if it exists.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Returns: Every setting.
  /// - Throws: ``ConfigurationError``, with the line of a mistake in the file.
  public static func load(
    broker: String? = nil, ledger: String? = nil, file: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> TellerConfiguration {
    let variable = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    var configuration = try read(named: file ?? variable(Variable.file))
    try configuration.setBroker(flag: broker, variable)
    try configuration.setTLS(variable)
    if let ledger = ledger ?? variable(Variable.ledger) { configuration.ledger = ledger }
    if let health = variable(Variable.health) {
      do { configuration.health = try HealthAddress(setting: health) } catch {
        throw .invalidSetting(source: Variable.health, problem: error.description)
      }
    }
    return configuration
  }

  /// The ledger's path alone, looked for in the same order. Other settings, such as a secret's file, need not be
  /// usable.
  ///
  /// - Throws: ``ConfigurationError``, with the line of a mistake in the file.
  package static func ledgerPath(
    file: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> String {
    let variable = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let ledger = variable(Variable.ledger) { return ledger }
    return try read(named: file ?? variable(Variable.file)).ledger
  }

  private mutating func setBroker(
    flag: String?, _ variable: (String) -> String?
  ) throws(ConfigurationError) {
    let tls = tls
    let (url, file) = (variable(Variable.broker), variable(Variable.brokerFile))
    if let flag {
      brokerURL = try TellerConfiguration.brokerURL(flag, from: "--broker")
    } else if url != nil && file != nil {
      throw .invalidSetting(
        source: Variable.brokerFile, problem: "\(Variable.broker) is set, too: keep one of them")
    } else if let url {
      brokerURL = try TellerConfiguration.brokerURL(url, from: Variable.broker)
    } else if let file = file ?? brokerFile {
      brokerURL = try BrokerURLFile.read(file)
    }
    brokerFile = nil
    self.tls = tls
  }

  private mutating func setTLS(_ variable: (String) -> String?) throws(ConfigurationError) {
    if let file = variable(Variable.brokerCA) { tls.ca = file }
    if let file = variable(Variable.brokerCertificate) { tls.certificate = file }
    if let file = variable(Variable.brokerKey) { tls.key = file }
    if (tls.certificate == nil) != (tls.key == nil) {
      let (given, missing, variable) =
        tls.key == nil
        ? ("certificate", "key", Variable.brokerKey) : ("key", "certificate", Variable.brokerCertificate)
      throw .invalidSetting(
        source: "tls", problem: "there is a \(given) and no \(missing): name it under `tls:` or in \(variable)")
    }
    switch variable(Variable.insecure)?.lowercased() {
    case nil: break
    case "1", "true": allowsPlaintext = true
    case "0", "false": allowsPlaintext = false
    default: throw .invalidSetting(source: Variable.insecure, problem: "it is neither 1 nor 0")
    }
  }

  private static func read(named file: String?) throws(ConfigurationError) -> TellerConfiguration {
    if let file { return try read(file) }
    guard FileManager.default.fileExists(atPath: defaultFile) else { return TellerConfiguration() }
    return try read(defaultFile)
  }

  /// The largest file that is read, in bytes.
  private static let fileLimit = 1 << 20

  private static func read(_ file: String) throws(ConfigurationError) -> TellerConfiguration {
    try ConfigurationFile.configuration(yaml: try content(of: file, limit: fileLimit), file: file)
  }

  /// The text of a file. No error shows any of it.
  static func content(of file: String, limit: Int) throws(ConfigurationError) -> String {
    let content: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      defer { try? handle.close() }
      content = try handle.read(upToCount: limit + 1) ?? Data()
    } catch {
      throw .unreadable(file: file, reason: reason(of: error))
    }
    if content.count > limit { throw .unreadable(file: file, reason: "it is larger than \(limit) bytes") }
    guard let text = String(data: content, encoding: .utf8) else {
      throw .unreadable(file: file, reason: "it is not UTF-8")
    }
    return text
  }

  private static func reason(of error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "permission denied"
    default: String(describing: error)
    }
  }

  /// A broker's URL. The error names its source and never repeats the URL.
  static func brokerURL(_ text: String, from source: String) throws(ConfigurationError) -> BrokerURL {
    do {
      return try BrokerURL(text)
    } catch {
      throw .invalidSetting(source: source, problem: error.description)
    }
  }
}
