import AMQP
import Decisions
import JobModel
import Teller
import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml")
struct ConfigurationFileTests {
  private func read(_ yaml: String) throws -> ProcessSettings { try settings(yaml) }

  @Test("every key is read")
  func everyKey() throws {
    let settings = try read(
      """
      broker: amqp://bank:s%2Fecret@broker.example:5673/branch
      ledger: /var/lib/teller/ledger
      lease: 90s
      departments:
        init: {ordered: true}
        deposit:
          window: 500
        loan:
      kinds:
        mortgage: {department: loan, attempts: 5}
        deposit:
      """)
    #expect(settings.broker.brokerURL.password == "s/ecret")
    #expect(settings.broker.broker == "amqp://bank@broker.example:5673/branch")
    #expect(settings.ledger == "/var/lib/teller/ledger")
    #expect(settings.coordinator.lease == .seconds(90))
    #expect(
      settings.coordinator.departments == [
        "init": DepartmentSettings(isOrdered: true), "deposit": DepartmentSettings(window: 500),
        "loan": DepartmentSettings(),
      ])
    #expect(
      settings.coordinator.kinds == [
        "mortgage": KindSettings(department: "loan", attempts: 5), "deposit": KindSettings(),
      ])
  }

  @Test("a file that says nothing leaves the defaults", arguments: ["", "# nothing yet\n", "departments:\nkinds:\n"])
  func nothing(yaml: String) throws {
    #expect(try read(yaml) == ProcessSettings())
    #expect(ProcessSettings().broker.broker == "amqp://guest@127.0.0.1:5672/%2F")
    #expect(ProcessSettings().ledger == "./teller.ledger")
  }

  @Test("durations are read in every unit", arguments: [("5500ms", 5.5), ("45s", 45), ("2m", 120), ("1h", 3_600)])
  func durations(text: String, seconds: Double) throws {
    #expect(try read("lease: \(text)").coordinator.lease == .seconds(seconds))
  }

  static let mistakes: [(yaml: String, line: Int, word: String)] = [
    ("ledger: x\nlegder: y", 2, "unknown key \"legder\""),
    ("departments:\n  a:\n    order: true", 3, "unknown key \"order\""),
    ("kinds:\n  a: {department: b, tries: 1}\ndepartments: {b: {}}", 2, "unknown key \"tries\""),
    ("1: 2", 1, "unknown key \"1\""),
    ("departments:\n  a: {ordered: maybe}", 2, "true or false, not \"maybe\""),
    ("departments:\n  a:\n    window: many", 3, "a whole number, not \"many\""),
    ("departments:\n  a:\n    window: 0", 3, "0 is not between 1 and"),
    ("departments:\n  a:\n    window:", 3, "a whole number, not nothing"),
    ("departments:\n  a:\n    ordered: true\n    window: 3", 4, "no window"),
    ("departments:\n  a:\n    - x", 3, "\"a\" must hold lines"),
    ("departments: 5", 1, "\"departments\" must hold lines"),
    ("departments:\n  fine: {}\n  my dept: {}", 3, "\"my dept\" is not a name"),
    ("kinds:\n  a.b: {}", 2, "\"a.b\" is not a name"),
    ("departments: {b: {}}\nkinds:\n  a:\n    department: c", 4, "no department \"c\""),
    ("departments: {b: {}}\nkinds:\n  a:\n    department: c d", 4, "\"c d\" is not a name"),
    ("kinds:\n  a:\n    attempts: 101", 3, "101 is not between 1 and 100"),
    ("lease: 45", 1, "\"45\" is no duration"),
    ("lease: soon", 1, "\"soon\" is no duration"),
    ("lease: 99999999999999999999s", 1, "is no duration"),
    ("ledger: x\nlease: 5ms", 2, "between 5s and 24h"),
    ("ledger:", 1, "needs a path"),
    ("ledger: [a]", 1, "a text, not a list"),
    ("broker: http://secret@x/", 1, "neither amqp nor amqps"),
    ("\nbroker: {password: secret}", 2, "a text, not something else"),
    ("broker:amqp://teller:secret@rabbit:5672/", 1, "not something else"),
    ("ledger: x\nbroker amqp://teller:secret@rabbit:5672/", 3, "no YAML"),
    ("departments: amqp://teller:secret@rabbit:5672/", 1, "not something else"),
    ("\"amqp://teller:secret@rabbit:5672/\": broker", 1, "unknown key something else"),
    ("ledger: x\nledger: y", 2, "twice"),
    ("departments:\n  a:\n    window: 1\n  b: {}\n  a: {}", 5, "twice"),
    ("ledger: x\n\tlease: 5s", 2, "no YAML"),
    ("- a", 1, "the file must hold lines"),
    ("ledger: 'x\n", 2, "no YAML"),
    ("a: 1\n---\nb: 2", 2, "no YAML"),
  ]

  @Test("a mistake is told with its line", arguments: mistakes)
  func mistake(yaml: String, line: Int, word: String) throws {
    try expectMistake(yaml, line: line, word)
  }
}
