import AMQP
public import Foundation

extension TellerConfiguration {
  /// The environment variables that are read.
  private enum Variable {
    static let broker = "TELLER_BROKER_URL"
    static let brokerFile = "TELLER_BROKER_URL_FILE"
    static let brokerCA = "TELLER_BROKER_CA"
    static let brokerCertificate = "TELLER_BROKER_CERTIFICATE"
    static let brokerKey = "TELLER_BROKER_KEY"
    static let insecure = "TELLER_INSECURE"
  }

  /// Loads the configuration of this process. A setting is taken from the first of: the arguments of this call, the
  /// environment, the default. An empty environment variable counts as not set. A file blocks the calling thread for a few
  /// seconds at most.
  ///
  /// - Parameters:
  ///   - broker: The broker's URL, from a flag. Better in the environment: every user of a machine can see arguments.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Returns: Every setting.
  /// - Throws: ``ConfigurationError``, which names the argument, the variable or the file that is wrong.
  public static func load(
    broker: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> TellerConfiguration {
    var configuration = TellerConfiguration()
    _ = try configuration.overrideBroker(flag: broker, environment)
    configuration.overrideTLS(environment)
    try configuration.checkPair()
    try configuration.overridePlaintext(environment)
    return configuration
  }

  /// Takes the broker's URL that the flag or the environment names in the place of the present one.
  ///
  /// - Returns: Whether one of them names a broker.
  /// - Throws: ``ConfigurationError``, which names the argument, the variable or the file that is wrong.
  package mutating func overrideBroker(
    flag: String?, _ environment: [String: String]
  ) throws(ConfigurationError) -> Bool {
    guard let (url, file) = try TellerConfiguration.url(flag: flag, environment) else { return false }
    replace(url, of: file)
    return true
  }

  /// Takes the broker's URL from a file. Blocks the calling thread until it is read, for a few seconds at most.
  ///
  /// - Throws: ``ConfigurationError``, which names the file.
  package mutating func readBroker(from file: String) throws(ConfigurationError) {
    let read = try BrokerURLFile.read(file)
    replace(read.url, of: read.file)
  }

  /// The files of TLS stay.
  mutating func replace(_ url: BrokerURL, of file: String?) {
    let tls = tls
    (brokerURL, brokerFile) = (url, file)
    self.tls = tls
  }

  /// The first URL that somebody names, and its file if that can be read again; nil: nobody does.
  private static func url(
    flag: String?, _ environment: [String: String]
  ) throws(ConfigurationError) -> (url: BrokerURL, file: String?)? {
    let (url, file) = (environment.setting(Variable.broker), environment.setting(Variable.brokerFile))
    if let flag { return (try brokerURL(flag, from: "--broker"), nil) }
    if url != nil && file != nil {
      throw .invalidSetting(
        source: Variable.brokerFile, problem: "\(Variable.broker) is set, too: keep one of them")
    }
    if let url { return (try brokerURL(url, from: Variable.broker), nil) }
    guard let file else { return nil }
    return try BrokerURLFile.read(file)
  }

  /// Takes the files of TLS that the environment names in the place of the present ones.
  package mutating func overrideTLS(_ environment: [String: String]) {
    if let file = environment.setting(Variable.brokerCA) { tls.ca = file }
    if let file = environment.setting(Variable.brokerCertificate) { tls.certificate = file }
    if let file = environment.setting(Variable.brokerKey) { tls.key = file }
  }

  /// - Throws: ``ConfigurationError`` when there is a certificate without its key, or a key without its certificate.
  package func checkPair() throws(ConfigurationError) {
    guard (tls.certificate == nil) != (tls.key == nil) else { return }
    let (given, missing, variable) =
      tls.key == nil
      ? ("certificate", "key", Variable.brokerKey) : ("key", "certificate", Variable.brokerCertificate)
    throw .invalidSetting(
      source: "tls",
      problem: "there is a \(given) and no \(missing): name it in \(variable), or, for `teller`, under `tls:`")
  }

  /// Takes what the environment says about encryption in the place of the present setting.
  ///
  /// - Throws: ``ConfigurationError``, which names the variable.
  package mutating func overridePlaintext(_ environment: [String: String]) throws(ConfigurationError) {
    switch environment.setting(Variable.insecure)?.lowercased() {
    case nil: break
    case "1", "true": allowsPlaintext = true
    case "0", "false": allowsPlaintext = false
    default: throw .invalidSetting(source: Variable.insecure, problem: "it is neither 1 nor 0")
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

extension [String: String] {
  /// What an environment says, without line ends around it, as a file of another editor leaves some; nil: nothing, or an
  /// empty text.
  package func setting(_ name: String) -> String? {
    self[name].map { $0.trimmingCharacters(in: .newlines) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
