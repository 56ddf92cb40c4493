import Foundation
import HostingSupport
import Logging
import TellerCoordinator
import TestSupport
import Testing

@Suite("A coordinator in a program that cannot run", .timeLimit(.minutes(10)))
struct CoordinatorErrorTests {
  private let told = ToldCalls()
  private let logger = ServiceLog().logger

  @Test("names every mistake of its file with the line, and those of the environment, in one error")
  func mistakes() throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml").path
    let text = """
      departments:
        work: {cap: none}
      lease: soon
      kinds:
        letter: {department: wrok}
      """
    try Data(text.utf8).write(to: folder.appending("teller.yaml"))
    let environment = ["TELLER_CONFIG": file, "TELLER_HEALTH": "nowhere", "TELLER_BROKER_URL": "http://secret@host"]
    let error = #expect(throws: CoordinatorError.self) { _ = try Coordinator(logger: logger, environment: environment) }
    guard case .wrongSettings(let lines)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let places = ["\(file):2: ", "\(file):3: ", "\(file):5: ", "TELLER_HEALTH: ", "TELLER_BROKER_URL: "]
    #expect(lines.count == places.count, "\(lines)")
    for (line, place) in zip(lines, places) { #expect(line.hasPrefix(place), "\(line)") }
    let described = "\(error.map(String.init(describing:)) ?? "")"
    #expect(described == lines.joined(separator: "\n") && !described.contains("secret"))
  }

  @Test("names each rule of the program that cannot be, and takes one that can")
  func rules() throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("teller.yaml").path
    let text = """
      departments: {alert: }
      rules: {known: {on: {event: parked}, submit: {kind: alert}}}
      """
    try Data(text.utf8).write(to: folder.appending("teller.yaml"))
    let bounded = Rule("fine", on: EventFilter(events: ["failed"], kinds: ["login"]), submit: RuleJob("alert"))
    _ = try Coordinator(file: file, rules: [bounded], environment: [:])
    let wrong = [
      Rule("known", on: bounded.on, submit: RuleJob("alert")), Rule("lost", on: bounded.on, submit: RuleJob("nowhere")),
      Rule("circle", on: EventFilter(events: ["failed"]), submit: RuleJob("alert")),
      Rule("webhook-x", on: bounded.on, submit: RuleJob("alert")),
      Rule("late", on: EventFilter(events: ["key_freed"], kinds: ["login"]), submit: RuleJob("alert")),
    ]
    let error = #expect(throws: CoordinatorError.self) { try Coordinator(file: file, rules: wrong, environment: [:]) }
    guard case .wrongSettings(let lines)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let words = [
      "has its name", "no department \"nowhere\"", "\"circle\" makes a job for", "rules of webhooks", "key_freed",
    ]
    #expect(lines.count == words.count, "\(lines)")
    for (line, word) in zip(lines, words) { #expect(line.contains(word), "\(line)") }
  }

  @Test("says of a file that is missing, and of missing departments, what is to be done")
  func missing() throws {
    let folder = try TemporaryFolder()
    let file = folder.appending("none.yaml").path
    let error = #expect(throws: CoordinatorError.self) { _ = try Coordinator(file: file, environment: [:]) }
    #expect("\(error.map(String.init(describing:)) ?? "")".hasPrefix("\(file) cannot be read: "))
    try Data("lease: 30s\n".utf8).write(to: folder.appending("teller.yaml"))
    let other = folder.appending("teller.yaml").path
    let empty = #expect(throws: CoordinatorError.self) { _ = try Coordinator(file: other, environment: [:]) }
    #expect("\(empty.map(String.init(describing:)) ?? "")".hasPrefix("\(other):1: there are no departments"))
  }

  @Test("says of a file that is no ledger what it is, leaves the file, and stops its services")
  func noLedger() async throws {
    let place = try CoordinatorPlace(broker: try await BrokerNode.shared.makeVirtualHost())
    let text = Data(String(repeating: "a letter, and no ledger\n", count: 1_000).utf8)
    try text.write(to: URL(filePath: place.ledger))
    let coordinator = try place.coordinator(logger: logger)
    coordinator.add(Witness("a", told))
    let error = await #expect(throws: CoordinatorError.self) { try await coordinator.run() }
    #expect(
      error == .ledger(reason: "\(place.ledger) is not a ledger of Teller; it was left as it is: name another file"))
    #expect(told.of("a") == ["started", "stopped"])
    #expect(try Data(contentsOf: URL(filePath: place.ledger)) == text)
  }

  @Test("ends with the reason when the broker does not let it in, and shows no password")
  func refused() async throws {
    var address = try #require(URLComponents(string: try await BrokerNode.shared.makeVirtualHost()))
    address.password = "wrong-password"
    let place = try CoordinatorPlace(broker: try #require(address.string))
    let coordinator = try place.coordinator(logger: logger)
    coordinator.add(Witness("a", told))
    let error = await #expect(throws: CoordinatorError.self) { try await coordinator.run() }
    guard case .broker(.brokerRefused(let reason))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("ACCESS_REFUSED") && !reason.contains("wrong-password"))
    #expect(told.of("a") == ["started", "stopped"])
  }
}
