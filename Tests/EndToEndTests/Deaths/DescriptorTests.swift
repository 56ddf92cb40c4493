import Foundation
import SystemSupport
import TestSupport
import Testing

/// A process that can open no further file: its command ends with one line and a code, and nothing else ends.
@Suite("Commands without descriptors")
struct DescriptorTests {
  /// What a command said, without how long it waits on a busy machine.
  private func errors(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("teller: waiting") } }

  private func limited(to count: Int) -> [String] { ["/usr/bin/prlimit", "--nofile=\(count):\(count)"] }

  @Test("a command that has too few says so on one line, and ends at once")
  func own() async throws {
    let system = try TellerSystem(brokerURL: "amqp://127.0.0.1:1/")
    for count in [16, 12, 8, 6, 4] {
      let process = try system.launch("teller", ["status"], by: limited(to: count))
      process.closeInput()
      let status = try await process.waitForExit(within: TellerSystem.limit)
      let said = errors(process.text(of: .standardError))
      #expect(status == 71 && said.count == 1, "\(count) descriptors: \(status) \(said)")
      #expect(said.first?.contains("too few file descriptors: ") == true)
    }
  }

  /// Each server, and what it logs when it serves.
  private static let servers: [[String]: String] = [
    ["coordinator", "--health", "127.0.0.1:0"]: " serving", ["page", "--listen", "127.0.0.1:0"]: "page at",
    ["webhooks", "--health", "127.0.0.1:0"]: "ready",
  ]

  @Test(
    "a server that has too few says so on one line, and ends; with one more it serves, and goes on",
    arguments: servers)
  func fewest(arguments: [String], line: String) async throws {
    let system = try await TellerSystem.onSharedBroker()
    try WebhookAddresses.writeSecrets(to: system)
    try WebhookAddresses(ways: ["slow"], port: 1, down: 1).configure(system)
    if arguments[0] != "coordinator" { _ = try await system.startCoordinator() }
    for count in 17..<64 {
      let process = try system.launch("teller", arguments, by: limited(to: count))
      if (try? await process.waitForLine(containing: line, within: TellerSystem.limit)) != nil {
        #expect(count > 30, "with a limit of \(count) it cannot serve for long")
        try await serves(process, of: system)
        return
      }
      let status = try await process.waitForExit(within: TellerSystem.limit)
      let said = process.text(of: .standardError)
      #expect(status == 71 && said.count == 1, "\(count) descriptors: \(status) \(said)")
      #expect(said.first?.contains("too few file descriptors: ") == true)
    }
    Issue.record("it never serves")
  }

  /// Has a server work for a while, and ends it.
  private func serves(_ process: RunningProcess, of system: TellerSystem) async throws {
    let worker = try await system.startWorker("work=2")
    let jobs = try await system.submit(20, #"{"kind": "noop"}"#)
    #expect(Set(try await system.outcomes(of: jobs).values) == ["succeeded"], "\(system.logs)")
    #expect(try await system.ask("show", jobs[0], "--payload").status == 0, "\(system.logs)")
    #expect(!process.text(of: .standardError).contains { $0.contains("broker lost") }, "\(system.logs)")
    try await worker.close()
    try await process.close()
  }

  @Test("webhooks with too few for all deliveries at once make fewer, and none fails for it")
  func webhooks() async throws {
    let stage = try await WebhookStage.start(["slow"], by: limited(to: 48))
    #expect(stage.sender.text(of: .standardError).contains { $0.contains(" deliveries at once, not 100: ") })
    let told = try await stage.happen(40)
    try await eventually("several are under way", within: TellerSystem.limit) {
      stage.receiver.text(of: .standardOutput).count { $0 == "arrived slow" } > 1
    }
    #expect(stage.sender.exitStatus == nil)
    try stage.receiver.write("open slow\n")
    try await stage.expectDelivered("slow", told)
    #expect(stage.requests("slow").count == told.count, "each was tried once\n\(stage.system.logs)")
    #expect(!stage.sender.text(of: .standardError).contains { $0.contains("unreachable") }, "\(stage.system.logs)")
    try await stage.close()
  }

  /// Sets how many descriptors a process may have from now on. It keeps those that it has.
  private func limit(_ process: RunningProcess, to count: Int) async throws {
    let command = try RunningProcess.launch(
      URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(process.pid)", "--nofile=\(count):"])
    try #require(try await command.waitForExit(within: TellerSystem.limit) == 0)
  }

  /// Leaves a process as many descriptors as it takes for a socket and a pipe, and for what libdispatch looks at now and
  /// then. With none left, libdispatch would end the process.
  private func leaveFew(_ process: RunningProcess) async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd")
    let open = Set(names.compactMap { Int($0) })
    var (limit, left) = (0, 0)
    while left < 5 {
      if !open.contains(limit) { left += 1 }
      limit += 1
    }
    try await self.limit(process, to: limit)
  }

  @Test("a command for which the coordinator has too few is refused on one line, and the coordinator goes on")
  func coordinators() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let job = try await system.submitOne("noop", "--payload", #"{"n":7}"#)
    // It has read nothing beside what it writes yet, so it has no connection to its ledger for that.
    try await leaveFew(coordinator)
    let refused = try await system.ask("show", job, "--payload")
    #expect(refused.status == 70 && refused.lines.isEmpty, "\(refused)\n\(system.logs)")
    let said = errors(refused.errors)
    #expect(said.count == 1 && said.joined().contains("teller.ledger cannot be opened: "), "\(said)")
    #expect(said.joined().contains("file descriptors left: "), "\(said)")
    try await coordinator.waitForLine(containing: "command not carried out", within: TellerSystem.limit)
    try await limit(coordinator, to: 256)
    #expect(try await system.ask("pause", "other").status == 0, "\(system.logs)")
    let shown = try await system.ask("show", job, "--payload")
    #expect(shown.status == 0 && shown.lines == [#"{"n":7}"#], "\(shown)\n\(system.logs)")
    #expect(coordinator.exitStatus == nil)
    #expect(coordinator.text(of: .standardError).count { $0.contains(" serving") } == 1, "\(system.logs)")
    try await coordinator.close()
  }
}
