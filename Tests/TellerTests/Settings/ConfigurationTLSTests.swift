import Foundation
import Logging
import TestSupport
import Testing

@testable import AMQP
@testable import Teller

@Suite("Settings of encryption, and secrets from files")
struct ConfigurationTLSTests {
  private func read(_ yaml: String) throws -> TellerConfiguration {
    try ConfigurationFile.configuration(yaml: yaml, file: "teller.yaml")
  }

  @Test("the files of TLS come from the file, and each from the environment before that")
  func files() throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml")
    try Data("broker: amqps://file\ntls: {ca: /f/ca, certificate: /f/cert, key: /f/key}\n".utf8).write(to: file)
    let fromFile = try TellerConfiguration.load(file: file.path, environment: [:])
    #expect(fromFile.tls == TLSSettings(ca: "/f/ca", certificate: "/f/cert", key: "/f/key"))
    #expect(fromFile.brokerURL.tls == BrokerTLS(caFile: "/f/ca", certificateFile: "/f/cert", keyFile: "/f/key"))
    #expect(fromFile.broker == "amqps://guest@file:5671/%2F")
    let mixed = try TellerConfiguration.load(
      broker: "amqps://flag", file: file.path,
      environment: ["TELLER_BROKER_CA": "/e/ca", "TELLER_BROKER_KEY": "/e/key"])
    #expect(mixed.brokerURL.host == "flag")
    #expect(mixed.tls == TLSSettings(ca: "/e/ca", certificate: "/f/cert", key: "/e/key"))
  }

  @Test("a certificate without its key, or a key without its certificate, names what is missing")
  func half() {
    for (variable, missing) in [
      ("TELLER_BROKER_CERTIFICATE", "TELLER_BROKER_KEY"), ("TELLER_BROKER_KEY", "TELLER_BROKER_CERTIFICATE"),
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try TellerConfiguration.load(environment: [variable: "/x"])
      }
      #expect(error?.description.contains(missing) == true)
    }
  }

  static let mistakes: [(yaml: String, line: Int, word: String)] = [
    ("ledger: x\ntls:\n  cafile: x", 3, "unknown key \"cafile\"; known here: ca, certificate, key"),
    ("tls: /etc/ca.pem", 1, "\"tls\" must hold lines"),
    ("tls:\n  ca:", 2, "needs the path of a file"),
    ("tls:\n  ca: [x]", 2, "a text, not a list"),
    ("ledger: x\ninsecure: maybe", 2, "true or false, not \"maybe\""),
    ("broker_file: ''", 1, "needs the path of a file"),
    ("broker: amqp://u:secret@h/\nbroker_file: /x", 2, "`broker:` is there, too"),
  ]

  @Test("a mistake is told with its line", arguments: mistakes)
  func mistake(yaml: String, line: Int, word: String) {
    let error = #expect(throws: ConfigurationError.self) { try read(yaml) }
    guard case .invalid("teller.yaml", line, let problem)? = error else {
      Issue.record("no place in \(String(describing: error))")
      return
    }
    #expect(problem.contains(word) && !problem.contains("secret"), "\(problem)")
  }

  @Test("nothing under tls is nothing", arguments: ["tls:\n", "tls: {}\n"])
  func nothing(yaml: String) throws {
    #expect(try read(yaml) == TellerConfiguration())
  }

  @Test(
    "the broker's URL is the first line of a file, without what is around it",
    arguments: ["\n", "", "\r\nmore\r\n", " \nx"])
  func urlFile(end: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("url")
    try Data(" amqps://u:p%2Fw@h/v\(end)".utf8).write(to: file)
    let loaded = try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file.path])
    #expect(loaded.brokerURL.password == "p/w" && loaded.brokerURL.virtualHost == "v")
    let yaml = folder.appending("teller.yaml")
    try Data("broker_file: \(file.path)\n".utf8).write(to: yaml)
    #expect(try TellerConfiguration.load(file: yaml.path, environment: [:]).brokerURL == loaded.brokerURL)
    // Nobody looks into it when something else says where the broker is.
    try FileManager.default.removeItem(at: file)
    let other = try TellerConfiguration.load(file: yaml.path, environment: ["TELLER_BROKER_URL": "amqp://e"])
    #expect(other.brokerURL.host == "e")
    #expect(try TellerConfiguration.load(broker: "amqp://f", file: yaml.path, environment: [:]).brokerURL.host == "f")
  }

  @Test("a URL in the environment and one in a file are one too many")
  func both() {
    let environment = ["TELLER_BROKER_URL": "amqp://u:secret@h/", "TELLER_BROKER_URL_FILE": "/nowhere"]
    let expected = ConfigurationError.invalidSetting(
      source: "TELLER_BROKER_URL_FILE", problem: "TELLER_BROKER_URL is set, too: keep one of them")
    #expect(throws: expected) { try TellerConfiguration.load(environment: environment) }
  }

  @Test(
    "a file without a URL is named, and nothing of it is shown",
    arguments: ["", "\namqp://h", "secret", "amqp://u:secret@h:x"])
  func badURLFile(content: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("url").path
    try Data(content.utf8).write(to: URL(filePath: file))
    let error = #expect(throws: ConfigurationError.self) {
      try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file])
    }
    let text = try #require(error).description
    #expect(text.contains(file) && !text.contains("secret"))
  }

  @Test("the ledger's path is known though the broker's secret cannot be read")
  func ledgerAlone() throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml").path
    try Data("broker_file: \(folder.appending("missing").path)\nledger: here.ledger\n".utf8).write(
      to: URL(filePath: file))
    #expect(throws: ConfigurationError.self) { try TellerConfiguration.load(file: file, environment: [:]) }
    #expect(try TellerConfiguration.ledgerPath(file: file, environment: [:]) == "here.ledger")
    let environment = ["TELLER_LEDGER": "there.ledger", "TELLER_CONFIG": file]
    #expect(try TellerConfiguration.ledgerPath(environment: environment) == "there.ledger")
  }

  @Test("a file that is not there, and one that is too large for a URL, are named")
  func unusableURLFile() throws {
    let folder = try TemporaryFolder()
    let missing = folder.appending("missing").path
    #expect(throws: ConfigurationError.unreadable(file: missing, reason: "there is no such file")) {
      try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": missing])
    }
    let large = folder.appending("large").path
    try Data(repeating: 97, count: 4097).write(to: URL(filePath: large))
    #expect(throws: ConfigurationError.unreadable(file: large, reason: "it is larger than 4096 bytes")) {
      try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": large])
    }
  }

  @Test(
    "amqp is plain to everybody but this machine",
    arguments: [
      ("amqp://localhost", false), ("amqp://LOCALHOST", false), ("amqp://127.0.0.1", false),
      ("amqp://127.9.9.9", false),
      ("amqp://[::1]", false), ("amqps://broker", false), ("amqp://broker", true), ("amqp://10.0.0.1", true),
      ("amqp://127.0.0.1.example", true), ("amqp://localhost.example", true), ("amqp://[::2]", true),
      ("amqp://0.0.0.0", true),
    ])
  func readable(url: String, isReadable: Bool) throws {
    #expect(try (BrokerURL(url).hostReadableOnTheWay != nil) == isReadable)
    var configuration = try TellerConfiguration(broker: url)
    if !isReadable { return try configuration.checkEncryption() }
    let expected = ConfigurationError.notEncrypted(host: configuration.brokerURL.host)
    #expect(throws: expected) { try configuration.checkEncryption() }
    configuration.allowsPlaintext = true
    try configuration.checkEncryption()
  }

  @Test("it is allowed by the file or by the environment, which goes before it")
  func allowed() throws {
    #expect(try read("insecure: true").allowsPlaintext)
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml")
    try Data("insecure: true".utf8).write(to: file)
    for (value, isAllowed) in [("", true), ("1", true), ("true", true), ("0", false), ("false", false)] {
      let loaded = try TellerConfiguration.load(file: file.path, environment: ["TELLER_INSECURE": value])
      #expect(loaded.allowsPlaintext == isAllowed)
    }
    #expect(throws: ConfigurationError.invalidSetting(source: "TELLER_INSECURE", problem: "it is neither 1 nor 0")) {
      try TellerConfiguration.load(environment: ["TELLER_INSECURE": "perhaps"])
    }
  }

  @Test("a program's own configuration is refused, too, before it connects")
  func programs() async throws {
    let configuration = try TellerConfiguration(broker: "amqp://u:secret@broker.invalid/")
    let expected = ConfigurationError.notEncrypted(host: "broker.invalid")
    await #expect(throws: expected) { try await TellerClient.connect(configuration) }
    let worker = Worker(configuration, departments: ["work": 1])
    await #expect(throws: expected) { try await worker.run() }
    #expect(!expected.description.contains("secret"))
    #expect(expected.description.contains("--insecure, TELLER_INSECURE=1 or `insecure: true`"))
  }
}
