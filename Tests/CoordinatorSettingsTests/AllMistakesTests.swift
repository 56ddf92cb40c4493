import Foundation
import Teller
import TellerHealth
import TestSupport
import Testing

@testable import CoordinatorSettings

@Suite("Everything that is wrong with the settings, at once")
struct AllMistakesTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder()
    file = folder.appending("teller.yaml").path
  }

  private func wrong(_ yaml: String, _ environment: [String: String] = [:]) throws -> WrongSettings {
    try Data(yaml.utf8).write(to: URL(filePath: file))
    return try #require(
      #expect(throws: WrongSettings.self) {
        try ProcessSettings.load(file: file, isForCoordinator: true, environment: environment)
      })
  }

  @Test("twelve mistakes are told in the order of lines, each with its line")
  func twelve() throws {
    let missing = folder.appending("broker-url").path
    let wrong = try wrong(
      """
      broker_file: \(missing)
      legder: x
      lease: 45
      departments:
        init: {ordered: true, cap: 2}
        deposit: {window: many}
        my dept: {}
      kinds:
        mortgage: {department: laon, attempts: 101}
      schedules:
        nightly: {cron: '0 24 * * *', kind: deposit}
        weekly: {cron: '@weekly', kind: report}
      users:
        shop: {role: prodcer}
        till: {role: worker, departments: [deposit, depsoit]}
      """)
    #expect(
      wrong.lines == [
        "\(file):1: \(missing) cannot be read: there is no such file",
        #"\#(file):2: unknown key "legder"; did you mean "ledger"? known here: broker, tls, insecure, ledger, lease, health, departments, kinds, schedules, plans, notify, live, rules, webhooks, retention, users, broker_file, priority_worth, after_restore"#,
        #"\#(file):3: "lease": "45" is no duration: write for example 45s, 1500ms or 2m"#,
        #"\#(file):5: "cap": an ordered department has no cap: one job runs at a time"#,
        #"\#(file):6: "window" must be a whole number, not "many""#,
        #"\#(file):7: "my dept" is not a name: 1–100 letters, digits, - and _"#,
        #"\#(file):9: "attempts": 101 is not between 1 and 100"#,
        #"\#(file):9: there is no department "laon" under `departments:`"#,
        #"\#(file):11: "cron": hour: 24 is not between 0 and 23"#,
        #"\#(file):12: there is no department "report" under `departments:`"#,
        #"\#(file):14: "role": "prodcer" is no role; did you mean "producer"; there are: worker, submitting-worker, producer, operator, monitor"#,
        #"\#(file):15: there is no department "depsoit" under `departments:`; did you mean "deposit"?"#,
      ])
    #expect(wrong.summary == "12 mistakes in \(file)")
    #expect(
      wrong.description == "\(wrong.lines[0]) (the first of 12 mistakes in \(file); `teller config check` shows all)")
  }

  @Test("what is in the environment comes last, and without a line")
  func environment() throws {
    let wrong = try wrong(
      "lease: 1s\ndepartments: {a: }\n",
      ["TELLER_HEALTH": "here", "TELLER_INSECURE": "maybe", "TELLER_BROKER_URL": "http://h"])
    #expect(
      wrong.lines == [
        #"\#(file):1: "lease": 1s is not between 5s and 24h"#,
        #"TELLER_HEALTH: "here" is no address: write for example 127.0.0.1:8081"#,
        "TELLER_BROKER_URL: This is no broker URL: its scheme is neither amqp nor amqps. "
          + "Write amqp://user:password@host:5672/vhost.",
        "TELLER_INSECURE: it is neither 1 nor 0",
      ])
  }

  @Test("the files of TLS are looked at, each with its line, and a certificate without its key")
  func tls() throws {
    let file = file
    let wrong = try wrong(
      "broker: amqps://h\ndepartments: {a: }\ntls:\n  ca: /nowhere/ca.pem\n  certificate: /nowhere/own.pem\n")
    #expect(wrong.lines.count == 2)
    #expect(wrong.lines[0].hasPrefix("\(file):4: the CA file /nowhere/ca.pem cannot be used: there is no such file"))
    #expect(wrong.lines[1].hasPrefix("\(file):5: tls: there is a certificate and no key"))
    let both = try self.wrong(
      "broker: amqps://h\ndepartments: {a: }\ntls: {certificate: /nowhere/own.pem,\n  key: /nowhere/key.pem, ca: /}\n")
    #expect(both.lines.map { $0.dropFirst(file.count).prefix(3) } == [":3:", ":4:"])
  }

  @Test("a coordinator needs departments, and an encrypted way to the broker")
  func coordinator() throws {
    #expect(
      try wrong("ledger: x\nbroker: amqp://broker.example\ndepartments:\n").lines == [
        "\(file):2: \(ProcessSettings.notEncrypted("broker.example"))",
        "\(file):3: there are no departments: name them under `departments:` in teller.yaml",
      ])
    #expect(throws: Never.self) { try ProcessSettings.load(file: file, environment: [:]) }
  }

  @Test("a text that is no YAML is one mistake, and nothing follows from what is missing")
  func noYAML() throws {
    let wrong = try wrong("departments: {a: }\nledger: 'x\n")
    #expect(wrong.lines.count == 1)
    #expect(wrong.lines[0].hasPrefix("\(file):3: this is no YAML: found unexpected end of stream"))
    #expect(try self.wrong("- a").lines.count == 1)
  }

  @Test("nothing follows from a part that cannot be read: a broken department is a department, a broken kind has one")
  func consequences() throws {
    let kinds = "kinds: {k: {department: work}}\nschedules: {s: {cron: '@daily', kind: k}}\n"
    #expect(try wrong("departments: {work: {cap: 0}}\n" + kinds).lines.count == 1)
    #expect(try wrong("departments: [work]\n" + kinds).lines.count == 1)
    let broken = "kinds: {k: {department: a b}}\nschedules: {s: {cron: '@daily', kind: k}}\n"
    #expect(try wrong("departments: {work: }\n" + broken).lines.count == 1)
  }

  @Test("of very many mistakes the first are shown, by line, and the number of the others")
  func bounded() throws {
    let unknown = (1...150).map { "key\($0): 1\n" }.joined()
    let wrong = try wrong("departments: {a: {cap: 0}}\n" + unknown)
    #expect(wrong.lines.count == Mistakes.shown + 1)
    #expect(wrong.lines[0].hasPrefix("\(file):1: \"cap\": 0"))
    #expect(wrong.lines[99].hasPrefix("\(file):100: unknown key \"key99\""))
    #expect(wrong.lines.last == "and 51 more")
    #expect(wrong.summary == "151 mistakes in \(file)")
  }

  @Test(
    "what needs a restart is named, and no password is shown: another one needs none, and neither does another address")
  func restart() throws {
    var old = ProcessSettings()
    old.broker = try .init(broker: "amqp://u:secret@h")
    var new = old
    #expect(old.needingRestart(in: new) == [])
    new.broker = try .init(broker: "amqp://u:secret2@h")
    #expect(old.needingRestart(in: new) == [])
    new.broker = try .init(broker: "amqp://u2:secret2@other/v")
    (new.ledger, new.broker.tls.ca, new.broker.allowsPlaintext) = ("other.ledger", "/ca", true)
    new.health = .init("127.0.0.1:1")
    #expect(
      old.needingRestart(in: new) == [
        "broker: virtual host: / → v", "broker: user: u → u2", "insecure: false → true",
        "ledger: ./teller.ledger → other.ledger", "health: none → 127.0.0.1:1",
      ])
  }
}
