import AMQP
public import Foundation

extension TellerConfiguration {
  /// The environment variables that are looked at.
  enum Variable {
    static let broker = "TELLER_BROKER_URL"
    static let ledger = "TELLER_LEDGER"
    static let health = "TELLER_HEALTH"
    static let file = "TELLER_CONFIG"
  }

  /// The file that is read when nobody names one, if it is there.
  package static let defaultFile = "teller.yaml"

  /// The configuration of this process: for each setting the first of what is given here, the environment, the file, and
  /// the default.
  ///
  /// An environment variable that is empty counts as not set.
  ///
  /// - Parameters:
  ///   - broker: The broker's URL, as a flag gave it. Better in the environment: arguments can be seen by every user of a
  ///     machine.
  ///   - ledger: The path of the ledger, as a flag gave it.
  ///   - file: The path of the file. One that is named here or in `TELLER_CONFIG` must exist; otherwise `./teller.yaml`
  ///     is read if it exists.
  ///   - environment: The environment, of this process unless another is given.
  /// - Returns: Every setting, with its default where nobody says otherwise.
  /// - Throws: ``ConfigurationError``, with the line for what is wrong in the file.
  public static func load(
    broker: String? = nil, ledger: String? = nil, file: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> TellerConfiguration {
    let variable = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    var configuration = try read(named: file ?? variable(Variable.file))
    if let broker {
      configuration.brokerURL = try brokerURL(broker, from: "--broker")
    } else if let broker = variable(Variable.broker) {
      configuration.brokerURL = try brokerURL(broker, from: Variable.broker)
    }
    if let ledger = ledger ?? variable(Variable.ledger) { configuration.ledger = ledger }
    if let health = variable(Variable.health) {
      do { configuration.health = try HealthAddress(setting: health) } catch {
        throw .invalidSetting(source: Variable.health, problem: error.description)
      }
    }
    return configuration
  }

  private static func read(named file: String?) throws(ConfigurationError) -> TellerConfiguration {
    if let file { return try read(file) }
    guard FileManager.default.fileExists(atPath: defaultFile) else { return TellerConfiguration() }
    return try read(defaultFile)
  }

  /// The largest file that is read, in bytes.
  private static let fileLimit = 1 << 20

  private static func read(_ file: String) throws(ConfigurationError) -> TellerConfiguration {
    let content: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      defer { try? handle.close() }
      content = try handle.read(upToCount: fileLimit + 1) ?? Data()
    } catch {
      throw .unreadable(file: file, reason: reason(of: error))
    }
    if content.count > fileLimit { throw .unreadable(file: file, reason: "it is larger than \(fileLimit) bytes") }
    guard let text = String(data: content, encoding: .utf8) else {
      throw .unreadable(file: file, reason: "it is not UTF-8")
    }
    return try ConfigurationFile.configuration(yaml: text, file: file)
  }

  private static func reason(of error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "permission denied"
    default: String(describing: error)
    }
  }

  /// A broker's URL; the error names where it came from and never repeats it.
  static func brokerURL(_ text: String, from source: String) throws(ConfigurationError) -> BrokerURL {
    do {
      return try BrokerURL(text)
    } catch {
      throw .invalidSetting(source: source, problem: error.description)
    }
  }
}
