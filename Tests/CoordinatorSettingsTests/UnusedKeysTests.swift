import AMQP
import Foundation
import Teller
import TestSupport
import Testing

@testable import CoordinatorSettings

@Suite("Mistakes of teller.yaml in keys that a command does not use")
struct UnusedKeysTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    file = folder.appending("teller.yaml").path
  }

  private func write(_ yaml: String) throws { try Data(yaml.utf8).write(to: URL(filePath: file)) }

  @Test("do not end it: it knows how many there are")
  func unused() throws {
    try write(
      """
      broker: amqps://b
      ledger: here
      lease: 1s
      kinds: {a: {department: nowhere}, a: {}}
      schedules: {s: {cron: 'never', kind: a}}
      lease: 2s
      nonsense: 1
      """)
    let environment = ["TELLER_HEALTH": "nowhere"]
    let connection = try ProcessSettings.connection(file: file, environment: environment)
    #expect(connection.broker.brokerURL.host == "b")
    #expect(connection.mistakesInUnusedKeys == 6)
    #expect(
      connection.noteOnUnusedKeys
        == "\(file) has 6 mistakes in settings that this command does not use: `teller config check \(file)` shows all")
    #expect(try ProcessSettings.ledgerAlone(file: file, environment: environment).ledger == "here")
    try write("broker: amqps://b\nledger: here\n")
    #expect(try ProcessSettings.connection(file: file, environment: [:]).noteOnUnusedKeys == nil)
  }

  @Test("are none where the keys that it does not use name what stands under those that it uses")
  func references() throws {
    let secret = folder.appending("secret")
    try Data("whsec_\(Data(repeating: 1, count: 32).base64EncodedString())".utf8).write(to: secret)
    try write(
      """
      broker: amqps://b
      ledger: here
      departments: {work: {}, mails: {}, plan: {ordered: true}}
      kinds: {raw: {department: work}, mail: {department: mails}, step: {department: plan}}
      rules: {r: {on: {event: failed, kind: raw}, submit: {kind: mail}}}
      schedules: {s: {cron: '* * * * *', kind: raw}}
      plans: {p: {department: plan, gates: [work], steps: [{name: a, rank: 1, kind: step}]}}
      webhooks: {ops: {address: 'https://h/x', secret_file: '\(secret.path)', on: {event: failed, kind: raw}}}
      """)
    #expect(try ProcessSettings.webhooks(file: file, environment: [:]).settings.noteOnUnusedKeys == nil)
    #expect(try ProcessSettings.connection(file: file, environment: [:]).noteOnUnusedKeys == nil)
    #expect(try ProcessSettings.ledgerAlone(file: file, environment: [:]).noteOnUnusedKeys == nil)
  }

  @Test(
    "are not those of its own keys, of a key that is meant for one of them, and of the file as a whole",
    arguments: [
      "broker: http://b", "broker: amqp://b\nbroker: amqp://c", "brokr: amqp://b", "insecure: perhaps", "tls: {cca: x}",
      "tls: {certificate: a.pem}", "lease: 'x", "- a", "broker_file: /nowhere/url",
    ])
  func used(yaml: String) throws {
    try write(yaml)
    #expect(throws: WrongSettings.self) { try ProcessSettings.connection(file: file, environment: [:]) }
  }

  @Test("a command about the ledger heeds the ledger's path alone")
  func ledger() throws {
    try write("broker: http://b\nledger: here\n")
    let settings = try ProcessSettings.ledgerAlone(file: file, environment: [:])
    #expect(settings.ledger == "here" && settings.mistakesInUnusedKeys == 1)
    try write("ledger: [a]\n")
    #expect(throws: WrongSettings.self) { try ProcessSettings.ledgerAlone(file: file, environment: [:]) }
  }

  @Test("a file that is not there ends it")
  func missing() {
    #expect(throws: WrongSettings.self) { try ProcessSettings.connection(file: file, environment: [:]) }
  }
}
