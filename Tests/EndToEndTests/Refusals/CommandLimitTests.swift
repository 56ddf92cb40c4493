import Foundation
import SystemSupport
import TestSupport
import Testing

/// Every command of `teller` against brokers that do not answer, each in its own way: each command ends within its limit, with
/// a documented exit code. The list of commands is held against the program's own.
@Suite("Every command ends within its limit", .timeLimit(.minutes(10)))
struct CommandLimitTests {
  private static let id = "0195d5a0-7c1e-7000-8000-000000000001"

  /// The commands that talk to the broker, and what each needs.
  private static let commands: [String] = [
    "status", "board work", "forecast", "workers", "submit noop --within 5s", "jobs", "show \(id)", "explain \(id)",
    "wait \(id) --within 5s", "outcome --kind noop --key k", "subscribers list",
    "subscribers forget audit", "report --since 1h", "schedules", "keys list --kind noop", "keys show noop k",
    "keys free noop k", "keys reset noop k --yes", "plan start day --within 5s", "plan show day",
    "plan list", "plan stop day", "event send ready", "event accept \(id)", "event dismiss \(id)",
    "event list", "event show \(id)", "cancel \(id)", "rerank \(id) --priority 7", "failed", "replay \(id)",
    "drop \(id) --yes", "pause work", "resume work", "resize work 2", "drain w", "reset --yes", "operation 1",
    "restore accept", "restore drop --yes", "broker hand-over \(id) --yes",
    "doctor", "actions", "rejected list", "rejected show abcdef", "rejected put-back --all --yes",
    "rejected drop --all --yes",
  ]
  /// Those that do not: they read files, ask a process over HTTP, or are services that wait for their broker.
  private static let others: Set<String> = [
    "coordinator", "webhooks", "page", "config check", "health", "ledger backup", "ledger check",
    "completions",
    "watch", "help",
  ]
  /// Broker away or refusing, nobody answers, wrong set-up, or not accepted yet; the limit of the person who asks.
  private static let codes: Set<Int32> = [69, 75, 76, 124]
  /// The doctor has found something.
  private static let found: Int32 = 3
  /// Ten seconds for the answer or what the command says, some for the start, and the rest for a busy machine.
  private static let limit: Duration = .seconds(90)
  private static let atOnce = 6
  /// What is wrong, and what each of its two connections says of the broker.
  private static let mostLines = 3

  private static func name(of command: String) -> String {
    command.split(separator: " ").prefix { word in
      word.allSatisfy { $0.isLowercase || $0 == "-" } && !word.hasPrefix("--")
    }
    .prefix(2).joined(separator: " ")
  }

  @Test("the list names every command that there is")
  func list() async throws {
    let system = try TellerSystem(brokerURL: "amqp://127.0.0.1:1/")
    // Far longer than any other command: it is a document of 500 KB.
    let help = try await system.run("teller", ["--experimental-dump-help"], within: TellerSystem.limit * 3)
    let dump = try #require(
      try JSONSerialization.jsonObject(with: Data(help.lines.joined(separator: "\n").utf8)) as? [String: Any])
    let root = try #require(dump["command"] as? [String: Any])
    var leaves: [String] = []
    func visit(_ command: [String: Any], _ path: [String]) {
      let inner = (command["subcommands"] as? [[String: Any]] ?? []).filter { $0["commandName"] as? String != "help" }
      if inner.isEmpty, !path.isEmpty { leaves.append(path.joined(separator: " ")) }
      for command in inner { visit(command, path + [command["commandName"] as? String ?? "?"]) }
    }
    visit(root, [])
    let named = Self.commands + Self.others
    for leaf in leaves {
      #expect(named.contains { $0 == leaf || $0.hasPrefix("\(leaf) ") }, "\(leaf) is not in the list")
    }
  }

  /// Runs all commands, a few at a time.
  private func expectAllEnd(
    at url: String, _ codes: Set<Int32> = CommandLimitTests.codes, within limit: Duration = CommandLimitTests.limit
  ) async throws {
    let system = try TellerSystem(brokerURL: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, command) in Self.commands.enumerated() {
        if index >= Self.atOnce { try await group.next() }
        group.addTask {
          let arguments = command.split(separator: " ").map(String.init)
          let process = try system.launch("teller", arguments)
          process.closeInput()
          do {
            let status = try await process.waitForExit(within: limit)
            let isRight = command == "doctor" ? status == Self.found : codes.contains(status)
            #expect(isRight, "\(command): \(status) \(process.text(of: .standardError))")
            #expect(
              process.text(of: .standardError).count { !$0.hasPrefix("teller: waiting") } <= Self.mostLines,
              "\(command): \(process.text(of: .standardError))")
          } catch {
            Issue.record("\(command) does not end: \(error) \(process.text(of: .standardError))")
            process.signal(SIGKILL)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("where nobody listens")
  func refused() async throws { try await expectAllEnd(at: "amqp://u:p@127.0.0.1:1/") }

  @Test("where the name does not resolve")
  func unknownName() async throws { try await expectAllEnd(at: "amqps://u:p@no-such-broker.invalid/") }

  @Test("where something accepts the connection and is silent")
  func silent() async throws {
    let url = try #require(URL(string: try await BrokerNode.shared.url))
    let line = try TCPProxy(to: UInt16(try #require(url.port)))
    line.weather = .blackHole
    try await expectAllEnd(at: "amqp://u:p@127.0.0.1:\(line.port)/")
    line.close()
  }

  @Test("where the broker takes nothing for lack of memory")
  func blocked() async throws {
    let node = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: try await node.makeVirtualHost())
    try await system.startCoordinator().close()
    try await node.ctl("set_vm_memory_high_watermark", "0")
    // Reading what was rejected needs nobody to publish.
    try await expectAllEnd(at: system.brokerURL, Self.codes.union([0, 66]))
    try await node.close()
  }

  @Test("where the broker lets the user publish nothing")
  func forbidden() async throws {
    let node = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: try await node.makeVirtualHost())
    try await system.startCoordinator().close()
    let host = try #require(URL(string: system.brokerURL)?.lastPathComponent)
    try await node.ctl("add_user", "mute", "secret")
    try await node.ctl("set_permissions", "-p", host, "mute", ".*", "^$", ".*")
    let port = try #require(URL(string: system.brokerURL)?.port)
    try await expectAllEnd(at: "amqp://mute:secret@127.0.0.1:\(port)/\(host)", Self.codes.union([0, 66]))
    try await node.close()
  }

  @Test("where the broker is frozen in the middle")
  func frozen() async throws {
    let node = try await BrokerNode.start()
    let system = try TellerSystem(brokerURL: try await node.makeVirtualHost())
    try await system.startCoordinator().close()
    // Questions that nobody answers, when the broker freezes under them.
    let open = ["status", "jobs", "submit noop --wait --within 20s", "cancel \(Self.id)"]
    let processes = try open.map { try system.launch("teller", $0.split(separator: " ").map(String.init)) }
    for process in processes { process.closeInput() }
    try await eventually("all commands are connected", within: TellerSystem.limit) {
      let users = try await node.ctl("list_connections", "user").split(separator: "\n")
      return users.count { $0.hasPrefix("teller") } >= open.count
    }
    try await node.freeze()
    for (command, process) in zip(open, processes) {
      let status = try await process.waitForExit(within: Self.limit)
      #expect(Self.codes.contains(status), "\(command): \(status) \(process.text(of: .standardError))")
    }
    try await node.thaw()
    try await node.close()
  }
}
