import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("teller.yaml in the working folder")
struct ConfigurationTests {
  /// Nothing but the file says where the broker is.
  private static let silence = ["TELLER_BROKER_URL": "", "TELLER_CONFIG": ""]

  @Test("a coordinator and the commands beside it find the broker by it")
  func found() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let system = try TellerSystem(brokerURL: url, more: "broker: \(url)\n")
    let coordinator = try await system.startCoordinator(environment: Self.silence)
    let status = try system.launch("teller", ["status", "--json"], environment: Self.silence)
    #expect(try await status.waitForExit(within: TellerSystem.limit) == 0, "\(status.text(of: .standardError))")
    #expect(status.text(of: .standardOutput).joined().contains(#""name":"work""#))
    try await coordinator.close()
  }

  @Test("`teller config check` reads it, and exits with 78 and the line of a mistake")
  func checked() async throws {
    let system = try TellerSystem(brokerURL: "amqp://localhost")
    let checked = try await system.teller("config", "check")
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(checked.lines.contains("departments  init, other, work"))
    let broken = system.folder.appending("broken.yaml")
    try Data("departments: {work: }\nlegder: x\n".utf8).write(to: broken)
    let refused = try await system.teller("config", "check", broken.path)
    #expect(refused.status == 78)
    #expect(refused.errors.joined().contains(#"line 2: unknown key "legder"; did you mean "ledger"?"#))
  }
}
