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

  @Flag(
    help: ArgumentHelp(
      "Only this machine reaches the address, though it is one of the network: in a container whose port is published at "
        + "127.0.0.1. Then the page needs no tokens."))
  var publishedLocally = false

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
    var settings = try PageSettings.load(environment: environment, certificate: tlsCertificate, key: tlsKey)
    if let listen { settings.address = listen }
    if let prefix { settings.prefix = prefix }
    if !hosts.isEmpty { settings.hosts = Set(hosts) }
    if let tokens { settings.tokens = tokens }
    if let behindProxy { settings.proxy = behindProxy }
    if publishedLocally { settings.isPublishedLocally = true }
    if readOnly { settings.isReadOnly = true }
    if noPayloads { settings.showsPayloads = false }
    return settings
  }
}
