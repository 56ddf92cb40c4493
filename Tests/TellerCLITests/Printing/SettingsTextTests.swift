import CoordinatorSettings
import Foundation
import Teller
import TestSupport
import Testing

@testable import TellerCLI

@Suite("What `teller config check` says")
struct SettingsTextTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    file = folder.appending("teller.yaml").path
  }

  private func load(_ yaml: String) throws -> ProcessSettings {
    try Data(yaml.utf8).write(to: URL(filePath: file))
    return try ProcessSettings.load(file: file, environment: [:])
  }

  @Test("every part of the settings has a line, and the password is in none")
  func lines() throws {
    let settings = try load(
      """
      broker: amqp://boss:secret@localhost/v
      ledger: /var/lib/teller/ledger
      health: "[::1]:8081"
      departments: {mail: , letters: }
      kinds: {letter: {department: letters}}
      schedules: {nightly: {cron: '@daily', kind: mail}}
      users: {shop: {role: producer}, ops: {role: operator}}
      """)
    try settings.checkForCoordinator()
    #expect(
      SettingsText.lines(settings) == [
        "file         \(file)", "broker       amqp://boss@localhost:5672/v", "ledger       /var/lib/teller/ledger",
        "health       [::1]:8081", "departments  letters, mail", "kinds        letter", "schedules    nightly",
        "users        ops, shop",
      ])
  }

  @Test("what is not said is told as what it means")
  func defaults() {
    #expect(
      SettingsText.lines(ProcessSettings()) == [
        "file         none", "broker       amqp://guest@127.0.0.1:5672/%2F", "ledger       ./teller.ledger",
        "health       nowhere", "departments  none", "kinds        none", "schedules    none",
        "users        everybody whom the broker lets in",
      ])
  }

  @Test("settings without departments, and a broker to which nobody would encrypt, are refused")
  func refused() throws {
    let empty = try load("ledger: x")
    #expect(throws: Failure.self) { try empty.checkForCoordinator() }
    let plain = try load("departments: {mail: }\nbroker: amqp://broker.example")
    #expect(throws: ConfigurationError.notEncrypted(host: "broker.example")) { try plain.checkForCoordinator() }
  }
}
