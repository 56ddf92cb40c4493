import ArgumentParser
import Foundation
import Teller
import TellerHealth
import TellerPage

/// Where and to whom the page is served: each setting from its flag, else from the environment.
struct PageServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The address of the page. With port 0 the system chooses a free port. (default: \(PageSettings.usualAddress))",
      valueName: "address"))
  var listen: HealthAddress?

  @Option(help: ArgumentHelp("What stands before every path of the page, such as /jobs.", valueName: "path"))
  var prefix: String?

  @Option(
    name: .customLong("host"),
    help: ArgumentHelp(
      "A name by which browsers may ask for the page, without a port. May be given several times. The address and the names "
        + "of this machine's loopback are always among them.", valueName: "name"))
  var hosts: [String] = []

  @Option(
    help: ArgumentHelp("The file with the tokens of those who may sign in.", valueName: "file"), completion: .file())
  var tokens: String?

  @Option(
    help: ArgumentHelp(
      "The file (PEM) with the page's certificate, and those between it and its root.", valueName: "file"),
    completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp(
      "The file (PEM) with the private key of the certificate, without a passphrase.", valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "The address of a proxy in front of the page, or a network such as 10.0.0.0/8. Only it may connect, and its "
        + "X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-For count.", valueName: "proxy"))
  var behindProxy: String?

  @Flag(help: "Nobody may change anything on the page.")
  var readOnly = false

  @Flag(help: "The page shows no payloads and no results of jobs.")
  var noPayloads = false

  /// All settings.
  ///
  /// - Throws: ``ConfigurationError``, which names the flag or the variable that is wrong.
  func settings(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> PageSettings {
    var settings = PageSettings(address: try address(environment))
    settings.prefix = prefix ?? environment.setting(Variable.prefix) ?? ""
    let others = environment.setting(Variable.host)?.split(separator: ",").map(String.init) ?? []
    settings.hosts = Set(hosts.isEmpty ? others : hosts)
    settings.tokens = tokens ?? environment.setting(Variable.tokens)
    settings.proxy = behindProxy ?? environment.setting(Variable.proxy)
    settings.tls = try encryption(environment)
    settings.isReadOnly = try flag(readOnly, Variable.readOnly, environment)
    settings.showsPayloads = try !flag(noPayloads, Variable.noPayloads, environment)
    return settings
  }

  /// The environment variables that are read.
  private enum Variable {
    static let listen = "TELLER_PAGE_LISTEN"
    static let prefix = "TELLER_PAGE_PREFIX"
    static let host = "TELLER_PAGE_HOST"
    static let tokens = "TELLER_PAGE_TOKENS"
    static let certificate = "TELLER_PAGE_TLS_CERTIFICATE"
    static let key = "TELLER_PAGE_TLS_KEY"
    static let proxy = "TELLER_PAGE_BEHIND_PROXY"
    static let readOnly = "TELLER_PAGE_READ_ONLY"
    static let noPayloads = "TELLER_PAGE_NO_PAYLOADS"
  }

  private func address(_ environment: [String: String]) throws(ConfigurationError) -> HealthAddress {
    if let listen { return listen }
    guard let text = environment.setting(Variable.listen) else { return PageSettings.usualAddress }
    guard let address = HealthAddress(text) else {
      throw .invalidSetting(source: Variable.listen, problem: "it is no address: write for example 127.0.0.1:8090")
    }
    return address
  }

  private func encryption(_ environment: [String: String]) throws(ConfigurationError) -> PageSettings.Encryption? {
    let certificate = tlsCertificate ?? environment.setting(Variable.certificate)
    let key = tlsKey ?? environment.setting(Variable.key)
    switch (certificate, key) {
    case (nil, nil): return nil
    case (let certificate?, let key?): return PageSettings.Encryption(certificate: certificate, key: key)
    case (_?, nil):
      throw .invalidSetting(source: "--tls-certificate", problem: "there is no key for it: name it by --tls-key")
    case (nil, _?):
      let problem = "there is no certificate for it: name it by --tls-certificate"
      throw .invalidSetting(source: "--tls-key", problem: problem)
    }
  }

  private func flag(
    _ isGiven: Bool, _ variable: String, _ environment: [String: String]
  ) throws(ConfigurationError) -> Bool {
    switch environment.setting(variable)?.lowercased() {
    case _ where isGiven: true
    case nil, "0", "false": false
    case "1", "true": true
    default: throw .invalidSetting(source: variable, problem: "it is neither 1 nor 0")
    }
  }
}
