import Foundation
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import AMQP
@testable import CoordinatorSettings

@Suite("Where a setting of teller comes from")
struct ProcessSettingsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ yaml: String) throws -> String {
    let file = folder.appending("teller.yaml")
    try Data(yaml.utf8).write(to: file)
    return file.path
  }

  private func wrong(
    _ environment: [String: String] = [:], file: String? = nil, isForCoordinator: Bool = false
  ) -> WrongSettings? {
    #expect(throws: WrongSettings.self) {
      try ProcessSettings.load(file: file, isForCoordinator: isForCoordinator, environment: environment)
    }
  }

  @Test("a flag goes before the environment, the environment before the file, the file before the default")
  func order() throws {
    let file = try file("broker: amqp://file\nledger: file.ledger\n")
    let environment = ["TELLER_BROKER_URL": "amqp://variable", "TELLER_LEDGER": "variable.ledger"]
    let all = try ProcessSettings.load(
      broker: "amqp://flag", ledger: "flag.ledger", file: file, environment: environment)
    #expect(all.broker.brokerURL.host == "flag")
    #expect(all.ledger == "flag.ledger")
    let noFlags = try ProcessSettings.load(file: file, environment: environment)
    #expect(noFlags.broker.brokerURL.host == "variable")
    #expect(noFlags.ledger == "variable.ledger")
    let fileAlone = try ProcessSettings.load(environment: ["TELLER_CONFIG": file, "TELLER_LEDGER": ""])
    #expect(fileAlone.broker.brokerURL.host == "file")
    #expect(fileAlone.ledger == "file.ledger")
    #expect(try ProcessSettings.load(environment: [:]) == ProcessSettings())
  }

  @Test("a file that was named and is not there is an error")
  func missing() throws {
    let missing = "/nowhere/teller.yaml"
    let expected = "\(missing) cannot be read: there is no such file"
    #expect(wrong(file: missing)?.description == expected)
    #expect(wrong(["TELLER_CONFIG": missing])?.description == expected)
    // Nothing follows from what is not read.
    #expect(wrong(file: missing, isForCoordinator: true)?.lines == [expected])
  }

  @Test("a folder or a file that is no text is an error that names it")
  func unreadable() throws {
    #expect(wrong(file: "/")?.description.hasPrefix("/ cannot be read: ") == true)
    let file = try file("")
    try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: file))
    #expect(wrong(file: file)?.description == "\(file) cannot be read: it is UTF-16: save it as UTF-8")
  }

  @Test("the address of the health comes from the file, and from the environment before that")
  func health() throws {
    let file = try file("health: 127.0.0.1:8081\n")
    #expect(try ProcessSettings.load(file: file, environment: [:]).health?.description == "127.0.0.1:8081")
    #expect(try ProcessSettings.load(environment: [:]).health == nil)
    let environment = ["TELLER_HEALTH": "[::]:1"]
    #expect(try ProcessSettings.load(file: file, environment: environment).health?.description == "[::]:1")
  }

  @Test("a bad address of the health is an error that says where it stands")
  func badHealth() throws {
    let file = try file("departments: {a: }\nhealth: here")
    let problem = #""here" is no address: write for example 127.0.0.1:8081"#
    #expect(wrong(file: file, isForCoordinator: true)?.description == "\(file):2: \"health\": " + problem)
    let good = try self.file("departments: {a: }\n")
    let environment = ["TELLER_HEALTH": "here"]
    #expect(wrong(environment, file: good, isForCoordinator: true)?.description == "TELLER_HEALTH: " + problem)
  }

  @Test("the files of TLS come from the file, and each from the environment before that")
  func tls() throws {
    let file = try file("broker: amqps://file\ntls: {ca: /f/ca, certificate: /f/cert, key: /f/key}\n")
    let fromFile = try ProcessSettings.load(file: file, environment: [:]).broker
    #expect(fromFile.tls == TLSSettings(ca: "/f/ca", certificate: "/f/cert", key: "/f/key"))
    #expect(fromFile.brokerURL.tls == BrokerTLS(caFile: "/f/ca", certificateFile: "/f/cert", keyFile: "/f/key"))
    #expect(fromFile.broker == "amqps://guest@file:5671/%2F")
    let mixed = try ProcessSettings.load(
      broker: "amqps://flag", file: file,
      environment: ["TELLER_BROKER_CA": "/e/ca", "TELLER_BROKER_KEY": "/e/key"]
    ).broker
    #expect(mixed.brokerURL.host == "flag")
    #expect(mixed.tls == TLSSettings(ca: "/e/ca", certificate: "/f/cert", key: "/e/key"))
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

  @Test("a mistake in what leads to the broker is told with its line", arguments: mistakes)
  func mistake(yaml: String, line: Int, word: String) throws {
    try expectMistake(yaml, line: line, word)
  }

  @Test("nothing under tls is nothing", arguments: ["tls:\n", "tls: {}\n"])
  func nothing(yaml: String) throws {
    #expect(try settings(yaml) == ProcessSettings())
  }

  @Test("the file that has the broker's URL is read only where nobody else says where the broker is")
  func urlFile() throws {
    let url = folder.appending("url")
    try Data("amqps://u:p%2Fw@h/v\n".utf8).write(to: url)
    let file = try file("broker_file: \(url.path)\n")
    let loaded = try ProcessSettings.load(file: file, environment: [:]).broker.brokerURL
    #expect(loaded.password == "p/w" && loaded.virtualHost == "v")
    let other = folder.appending("other")
    try Data("amqp://o\n".utf8).write(to: other)
    let named = try ProcessSettings.load(file: file, environment: ["TELLER_BROKER_URL_FILE": other.path])
    #expect(named.broker.brokerURL.host == "o")
    try FileManager.default.removeItem(at: url)
    #expect(wrong(file: file)?.description == "\(file):1: \(url.path) cannot be read: there is no such file")
    let variable = try ProcessSettings.load(file: file, environment: ["TELLER_BROKER_URL": "amqp://e"])
    #expect(variable.broker.brokerURL.host == "e")
    #expect(try ProcessSettings.load(broker: "amqp://f", file: file, environment: [:]).broker.brokerURL.host == "f")
  }

  @Test("the ledger's path is known though the broker's secret cannot be read")
  func ledgerAlone() throws {
    let file = try file("broker_file: \(folder.appending("missing").path)\nledger: here.ledger\n")
    #expect(wrong(file: file) != nil)
    #expect(try ProcessSettings.ledgerAlone(file: file, environment: [:]).ledger == "here.ledger")
    let environment = ["TELLER_LEDGER": "there.ledger", "TELLER_CONFIG": file]
    #expect(try ProcessSettings.ledgerAlone(environment: environment).ledger == "there.ledger")
  }

  @Test("a connection without encryption is allowed by the file or by the environment, which goes before it")
  func allowed() throws {
    let file = try file("insecure: true")
    for (value, isAllowed) in [("", true), ("1", true), ("true", true), ("0", false), ("false", false)] {
      let loaded = try ProcessSettings.load(file: file, environment: ["TELLER_INSECURE": value])
      #expect(loaded.broker.allowsPlaintext == isAllowed)
    }
  }
}
