import Testing

@testable import AMQP
@testable import Teller

@Suite("Settings of encryption")
struct ConfigurationTLSTests {
  @Test("the files of TLS come from the environment, whoever names the broker")
  func files() throws {
    let environment = [
      "TELLER_BROKER_CA": "/e/ca", "TELLER_BROKER_CERTIFICATE": "/e/cert", "TELLER_BROKER_KEY": "/e/key",
    ]
    for broker in [nil, "amqps://argument"] {
      let loaded = try TellerConfiguration.load(broker: broker, environment: environment)
      #expect(loaded.tls == TLSSettings(ca: "/e/ca", certificate: "/e/cert", key: "/e/key"))
      #expect(loaded.brokerURL.tls == BrokerTLS(caFile: "/e/ca", certificateFile: "/e/cert", keyFile: "/e/key"))
    }
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

  @Test("it is allowed by the environment, in two words")
  func allowed() throws {
    for (value, isAllowed) in [("", false), ("1", true), ("true", true), ("0", false), ("false", false)] {
      #expect(try TellerConfiguration.load(environment: ["TELLER_INSECURE": value]).allowsPlaintext == isAllowed)
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
    #expect(expected.description.contains("TELLER_INSECURE=1, in a program with allowsPlaintext"))
  }
}
