import AMQP
import Foundation
import Testing

@testable import Teller

@Suite("Where a setting comes from")
struct ConfigurationSourcesTests {
  private func withFile<Value>(_ yaml: String, _ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("teller.yaml")
    try Data(yaml.utf8).write(to: file)
    return try body(file.path)
  }

  @Test("a flag goes before the environment, the environment before the file, the file before the default")
  func order() throws {
    try withFile("broker: amqp://file\nledger: file.ledger\n") { file in
      let environment = ["TELLER_BROKER_URL": "amqp://variable", "TELLER_LEDGER": "variable.ledger"]
      let all = try TellerConfiguration.load(
        broker: "amqp://flag", ledger: "flag.ledger", file: file, environment: environment)
      #expect(all.brokerURL.host == "flag")
      #expect(all.ledger == "flag.ledger")
      let noFlags = try TellerConfiguration.load(file: file, environment: environment)
      #expect(noFlags.brokerURL.host == "variable")
      #expect(noFlags.ledger == "variable.ledger")
      let fileAlone = try TellerConfiguration.load(environment: ["TELLER_CONFIG": file, "TELLER_LEDGER": ""])
      #expect(fileAlone.brokerURL.host == "file")
      #expect(fileAlone.ledger == "file.ledger")
    }
    #expect(try TellerConfiguration.load(environment: [:]) == TellerConfiguration())
  }

  @Test("a file that was named and is not there is an error")
  func missing() throws {
    let missing = "/nowhere/teller.yaml"
    let expected = ConfigurationError.unreadable(file: missing, reason: "there is no such file")
    #expect(throws: expected) { try TellerConfiguration.load(file: missing, environment: [:]) }
    #expect(throws: expected) { try TellerConfiguration.load(environment: ["TELLER_CONFIG": missing]) }
  }

  @Test("a folder or a file that is no text is an error that names it")
  func unreadable() throws {
    #expect(throws: ConfigurationError.self) { try TellerConfiguration.load(file: "/", environment: [:]) }
    try withFile("") { file in
      try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: file))
      let expected = ConfigurationError.unreadable(file: file, reason: "it is not UTF-8")
      #expect(throws: expected) { try TellerConfiguration.load(file: file, environment: [:]) }
    }
  }

  @Test("a broker's URL that cannot be used is named by its source and never repeated")
  func badURL() throws {
    let environment = ["TELLER_BROKER_URL": "amqp://teller:hunter2@host:port/"]
    let error = #expect(throws: ConfigurationError.self) { try TellerConfiguration.load(environment: environment) }
    let text = try #require(error).description
    #expect(text.hasPrefix("TELLER_BROKER_URL: "))
    #expect(!text.contains("hunter2"))
  }

  @Test("neither description nor dump of a configuration shows the password")
  func password() throws {
    let configuration = try TellerConfiguration(broker: "amqp://teller:hunter2@host/")
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(!"\(configuration)\(String(reflecting: configuration))\(dumped)".contains("hunter2"))
    #expect(configuration.broker == "amqp://teller@host:5672/%2F")
  }
}
