public import Foundation
public import Teller
import TellerHealth

extension PageSettings {
  /// The environment variables that are read.
  private enum Variable {
    static let listen = "TELLER_PAGE_LISTEN"
    static let prefix = "TELLER_PAGE_PREFIX"
    static let host = "TELLER_PAGE_HOST"
    static let tokens = "TELLER_PAGE_TOKENS"
    static let certificate = "TELLER_PAGE_TLS_CERTIFICATE"
    static let key = "TELLER_PAGE_TLS_KEY"
    static let proxy = "TELLER_PAGE_BEHIND_PROXY"
    static let publishedLocally = "TELLER_PAGE_PUBLISHED_LOCALLY"
    static let readOnly = "TELLER_PAGE_READ_ONLY"
    static let noPayloads = "TELLER_PAGE_NO_PAYLOADS"
  }

  /// Loads the settings from the environment: `TELLER_PAGE_LISTEN`, `TELLER_PAGE_PREFIX`, `TELLER_PAGE_HOST` (several with
  /// commas), `TELLER_PAGE_TOKENS`, `TELLER_PAGE_TLS_CERTIFICATE`, `TELLER_PAGE_TLS_KEY`, `TELLER_PAGE_BEHIND_PROXY`, and,
  /// each 1 or 0, `TELLER_PAGE_PUBLISHED_LOCALLY`, `TELLER_PAGE_READ_ONLY` and `TELLER_PAGE_NO_PAYLOADS`. An empty variable
  /// counts as not set.
  ///
  /// - Throws: `ConfigurationError`, which names the variable that is wrong.
  public static func load(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> PageSettings {
    try load(environment: environment, certificate: nil, key: nil)
  }

  /// The same with files of TLS that a flag names.
  package static func load(
    environment: [String: String], certificate: String?, key: String?
  ) throws(ConfigurationError) -> PageSettings {
    var settings = PageSettings(address: try address(environment))
    settings.prefix = environment.setting(Variable.prefix) ?? ""
    settings.hosts = Set(
      environment.setting(Variable.host)?.split(separator: ",").map { String($0).trimmingSpaces } ?? [])
    settings.tokens = environment.setting(Variable.tokens)
    settings.proxy = environment.setting(Variable.proxy)
    settings.tls = try encryption(
      certificate: certificate ?? environment.setting(Variable.certificate),
      key: key ?? environment.setting(Variable.key))
    settings.isPublishedLocally = try flag(Variable.publishedLocally, environment)
    settings.isReadOnly = try flag(Variable.readOnly, environment)
    settings.showsPayloads = try !flag(Variable.noPayloads, environment)
    return settings
  }

  private static func address(_ environment: [String: String]) throws(ConfigurationError) -> HealthAddress {
    guard let text = environment.setting(Variable.listen) else { return usualAddress }
    guard let address = HealthAddress(text) else {
      throw .invalidSetting(source: Variable.listen, problem: "it is no address: write for example 127.0.0.1:8090")
    }
    return address
  }

  /// - Throws: `ConfigurationError` when one of the two files is missing.
  private static func encryption(certificate: String?, key: String?) throws(ConfigurationError) -> Encryption? {
    switch (certificate, key) {
    case (nil, nil): return nil
    case (let certificate?, let key?): return Encryption(certificate: certificate, key: key)
    case (_?, nil):
      throw .invalidSetting(
        source: Variable.certificate, problem: "there is no key for it: name it by \(Variable.key), or --tls-key")
    case (nil, _?):
      let problem = "there is no certificate for it: name it by \(Variable.certificate), or --tls-certificate"
      throw .invalidSetting(source: Variable.key, problem: problem)
    }
  }

  private static func flag(_ variable: String, _ environment: [String: String]) throws(ConfigurationError) -> Bool {
    switch environment.setting(variable)?.lowercased() {
    case nil, "0", "false": false
    case "1", "true": true
    default: throw .invalidSetting(source: variable, problem: "it is neither 1 nor 0")
    }
  }
}
