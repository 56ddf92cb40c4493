import Foundation
import TestSupport
import Testing

@testable import AMQP
@testable import Teller

@Suite("Where a setting of a client or a worker comes from")
struct ConfigurationSourcesTests {
  @Test("an argument goes before the environment, the environment before the default")
  func order() throws {
    let environment = ["TELLER_BROKER_URL": "amqp://variable"]
    let argument = try TellerConfiguration.load(broker: "amqp://argument", environment: environment)
    #expect(argument.brokerURL.host == "argument")
    #expect(try TellerConfiguration.load(environment: environment).brokerURL.host == "variable")
    #expect(try TellerConfiguration.load(environment: ["TELLER_BROKER_URL": ""]) == TellerConfiguration())
    #expect(TellerConfiguration().broker == "amqp://guest@127.0.0.1:5672/%2F")
  }

  @Test("a teller.yaml is the command's: nothing of it is read, and no mistake in it is in the way")
  func noFile() throws {
    let environment = ["TELLER_CONFIG": "/nowhere/teller.yaml", "TELLER_LEDGER": "x", "TELLER_HEALTH": "no address"]
    #expect(try TellerConfiguration.load(environment: environment) == TellerConfiguration())
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

  @Test(
    "the broker's URL is the line of a file, without what is around it",
    arguments: ["\n", "", "\r\nmore\r\n", " \nx"])
  func urlFile(end: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("url")
    try Data(" amqps://u:p%2Fw@h/v\(end)".utf8).write(to: file)
    let loaded = try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file.path])
    #expect(loaded.brokerURL.password == "p/w" && loaded.brokerURL.virtualHost == "v")
    // Nobody looks into it when an argument says where the broker is.
    try FileManager.default.removeItem(at: file)
    let other = try TellerConfiguration.load(
      broker: "amqp://argument", environment: ["TELLER_BROKER_URL_FILE": file.path])
    #expect(other.brokerURL.host == "argument")
  }

  @Test("the file of the URL comes from any editor", arguments: Editor.allCases)
  func urlFileOfEditors(editor: Editor) throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("url")
    try Data(editor.save(["amqps://u:p%2Fw@h/v"])).write(to: file)
    let loaded = try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file.path])
    #expect(loaded.brokerURL.password == "p/w" && loaded.brokerURL.virtualHost == "v")
  }

  @Test("a file of the URL that is no text in UTF-8 is refused by what it is")
  func urlFileRefused() throws {
    for (bytes, reason) in Editor.refused(["amqps://u:p%2Fw@h/v"]) {
      let folder = try TemporaryFolder()
      let file = folder.appending("url")
      try Data(bytes).write(to: file)
      let error = #expect(throws: ConfigurationError.self) {
        try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": file.path])
      }
      #expect(error?.description.contains(reason) == true)
    }
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
    arguments: ["", "\n# amqp://h", "secret", "amqp://u:secret@h:x"])
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

  @Test("a folder in place of a file is called one")
  func folder() throws {
    let folder = try TemporaryFolder()
    #expect(throws: ConfigurationError.unreadable(file: folder.url.path, reason: "it is a folder")) {
      try TellerConfiguration.load(environment: ["TELLER_BROKER_URL_FILE": folder.url.path])
    }
  }
}
