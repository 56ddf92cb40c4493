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

  @Test("`teller config check` reads it, and exits with 78 and each mistake with its line, as text and as JSON")
  func checked() async throws {
    let system = try TellerSystem(brokerURL: "amqp://localhost")
    let checked = try await system.teller("config", "check")
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(checked.lines.contains("departments  init, other, work"))
    let object = try #require(try await system.teller("config", "check", "--json").objects.first)
    #expect(object["count"] as? Int == 0 && object["settings"] != nil)
    let broken = system.folder.appending("broken.yaml")
    try Data("departments: {work: }\nlegder: x\nlease: 1s\n".utf8).write(to: broken)
    let refused = try await system.teller("config", "check", broken.path)
    #expect(refused.status == 78 && refused.lines.isEmpty)
    #expect(refused.errors.count == 3)
    #expect(
      refused.errors.first?.hasPrefix("\(broken.path):2: unknown key \"legder\"; did you mean \"ledger\"?") == true)
    #expect(refused.errors.dropFirst().first == "\(broken.path):3: \"lease\": 1s is not between 5s and 24h")
    #expect(refused.errors.last == "teller: 2 mistakes in \(broken.path)")
    let asJSON = try await system.teller("config", "check", "-j", broken.path)
    #expect(asJSON.status == 78 && asJSON.errors.isEmpty)
    let found = try #require(asJSON.objects.first?["mistakes"] as? [[String: any Sendable]])
    #expect(found.map { $0["line"] as? Int } == [2, 3])
    // Another command says the first one of its own keys, on one line.
    try Data("insecure: perhaps\ntls: {cca: x}\nlease: 1s\n".utf8).write(to: broken)
    let command = try await system.teller("status", "--config", broken.path)
    #expect(command.status == 78 && command.errors.count == 1)
    #expect(command.errors[0].hasSuffix("(the first of 2 mistakes in \(broken.path); `teller config check` shows all)"))
  }

  @Test("commands beside a coordinator go on with a file that has become wrong, and say so on one line")
  func becameWrong() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    try system.configure(more: "schedules: {tick: {cron: 'now and then', kind: effect, payload: {}}}\n")
    let file = system.folder.appending("teller.yaml").path
    let number = coordinator.nextLineNumber
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(
      containing: "nothing is changed: 1 mistake", since: number, within: TellerSystem.limit)
    let note = "teller: \(file) has 1 mistake in settings that this command does not use: "
    for arguments in [["status", "--json"], ["pause", "work"]] {
      let ended = try await system.ask(arguments)
      #expect(ended.status == 0, "\(arguments): \(ended.errors)")
      #expect(ended.errors.count { $0.hasPrefix(note) } == 1, "\(arguments): \(ended.errors)")
    }
    #expect(try await system.department("work")["paused"] as? Bool == true)
    // Without the variable the path of the ledger is that of the file, or the default.
    let backup = try system.launch(
      "teller", ["ledger", "backup", "copy.ledger", "--config", file], environment: ["TELLER_LEDGER": ""])
    #expect(try await backup.waitForExit(within: TellerSystem.limit) == 0, "\(backup.text(of: .standardError))")
    #expect(backup.text(of: .standardError).count { $0.hasPrefix(note) } == 1)
    try await coordinator.close()
  }
}
