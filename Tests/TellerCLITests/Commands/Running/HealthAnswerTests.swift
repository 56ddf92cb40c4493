import ArgumentParser
import JobModel
import Teller
import TellerHealth
import Testing

@testable import TellerCLI

@Suite("What `teller health` prints")
struct HealthAnswerTests {
  private let address = HealthAddress(host: "::1", port: 8081)

  private func answer(_ checks: [HealthReport.Check]) -> HealthAnswer {
    HealthAnswer(address, .success(HealthDocument(HealthReport(checks))))
  }

  @Test("one line each: ready, or everything that is not as it should be")
  func lines() {
    #expect(answer([.init("broker", isOK: true, detail: "connected")]).line == "[::1]:8081  ready")
    let bad = answer([
      .init("broker", isOK: false, detail: "not\nconnected"), .init("loop", isOK: true, detail: "turned"),
      .init("ledger", isOK: false, detail: "never written yet"),
    ])
    #expect(bad.line == "[::1]:8081  not ready: broker: not connected; ledger: never written yet")
  }

  @Test("one JSON object a line")
  func json() throws {
    let text = try PrintedJSON.text(answer([.init("loop", isOK: true, detail: "x", age: .seconds(2))]))
    #expect(
      text == #"{"address":"[::1]:8081","checks":[{"age_ms":2000,"detail":"x","name":"loop","ok":true}],"ready":true}"#)
  }

  @Test("the addresses are arguments; without one it is the usual")
  func arguments() throws {
    let command = try #require(try TellerCommand.parseAsRoot(["health", "a:1", "http://b:2"]) as? HealthCommand)
    #expect(command.addresses.map(\.description) == ["a:1", "b:2"])
    #expect(HealthAddress.usual.description == "127.0.0.1:8081")
    #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["health", "here"]) }
  }
}
