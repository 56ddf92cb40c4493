import Foundation
import SystemSupport
import TestSupport
import Testing

/// The commands of the pages are run as they stand there, page by page, on a system that has the departments that the
/// pages speak of.
@Suite("The pages are played")
struct PlayedPagesTests {
  /// Systems that run beside each other. Each plays its pages one after the other: with all pages at once nothing on the
  /// machine would get its turn.
  private static let lanes = 0..<4
  private static let pages = Page.all.filter { $0.blocks.contains { $0.language == "sh" } }

  @Test("every command does what its page says", arguments: lanes)
  func played(lane: Int) async throws {
    for page in stride(from: lane, to: Self.pages.count, by: Self.lanes.count).map({ Self.pages[$0] }) {
      do {
        try await play(page)
      } catch {
        Issue.record("\(page): \(error)")  // the other pages of the lane are played all the same
      }
    }
  }

  private func play(_ page: Page) async throws {
    var commands: [(block: CodeBlock, command: PlayedCommand)] = []
    for block in page.blocks where block.language == "sh" {
      commands += try await ShellCommands.found(in: block).map { (block, PlayedCommand($0)) }
    }
    let played = commands.filter { $0.command.reasonNotToRun == nil }
    guard !played.isEmpty else { return }
    let system = try await PlayedSystem()
    for (block, command) in played {
      let ended = try await system.run(command)
      #expect(
        command.isWell(ended.status),
        "\(block.description): \(command.arguments.joined(separator: " ")): \(ended.status) \(ended.errors)")
    }
    try await system.close()
  }
}

extension PlayedCommand {
  /// Whether the exit code is one that the page promises: success, or for a command that is interrupted the code of that.
  fileprivate func isWell(_ status: Int32) -> Bool {
    switch end {
    case .itself: status == 0
    case .interrupt: status == 130 || status == 0
    }
  }
}

/// A coordinator, the bank's tellers and a worker whose jobs fail, for the commands of one page.
private final class PlayedSystem: Sendable {
  private let system: TellerSystem
  private let processes: [RunningProcess]
  /// The words of the pages that stand for a worker, and for an address.
  private let names: [String: String]

  private static let departments =
    "letters: {}, deposit: {cap: 3}, loan: {}, init: {ordered: true}, greet: {}, invoice: {}, work: {}, import: {}"

  private static let kinds =
    "  letter: {department: letters}\n  init-step: {department: init}\n  banner: {department: init}\n"

  init() async throws {
    let system = try await TellerSystem.onSharedBroker(
      departments: Self.departments,
      more: Self.kinds + "health: 127.0.0.1:0\n" + PlayedPlan.file
        + "webhooks:\n  ops: {address_file: /run/ops, format: slack}\n"
        + "schedules:\n  nightly: {cron: \"30 2 * * *\", kind: letter, department: letters}\n")
    let coordinator = try await system.startCoordinator()
    let bank = try system.launch(
      "bank", ["worker"] + ["init=1", "deposit=2", "loan=1"].flatMap { ["--department", $0] })
    let greeter = try system.launch("first-handler", [])
    let failing = try await system.startWorker("work=4", "letters=1", "invoice=1", "import=1", "init=1")
    for worker in [bank, greeter] { try await worker.waitForLine(containing: "ready", within: TellerSystem.limit) }
    (self.system, processes) = (system, [coordinator, bank, greeter, failing])
    let told = try await coordinator.waitForLine(containing: Self.healthTold, within: TellerSystem.limit)
    let address = String(try #require(told.split(separator: Self.healthTold).last).prefix { $0 != " " })
    try await eventually("the coordinator is ready", within: TellerSystem.limit) {
      try await system.teller("health", address).status == 0
    }
    let workers = try await system.ask("workers", "-d", "import", "--json")
    names = [
      "127.0.0.1:8081": address,
      "WORKER": try #require(workers.objects.first?["id"] as? String),
    ]
  }

  private static let healthTold = "health at http://"

  func close() async throws {
    for process in processes.reversed() { try await process.close() }
  }

  func run(_ command: PlayedCommand) async throws -> TellerSystem.Ended {
    let plan = command.needsPlan ? try await PlayedPlan.open(on: system) : nil
    var jobs: [String] = []
    for _ in 0..<command.jobCount { jobs.append(try await job(command.standing, plan)) }
    let arguments = command.arguments(jobs: jobs, names: names)
    if command.end == .interrupt { return try await interrupted(command.program, arguments) }
    return try await system.run(command.program, arguments, within: TellerSystem.longLimit)
  }

  /// Ends a command that goes on until Ctrl-C, once it is connected.
  private func interrupted(_ program: String, _ arguments: [String]) async throws -> TellerSystem.Ended {
    let process = try system.launch(program, arguments)
    process.closeInput()
    if arguments.contains("start") {
      try await process.waitForLine(named: "an event", within: TellerSystem.limit) { _ in true }
    }
    process.signal(SIGINT)
    let status = try await process.waitForExit(within: TellerSystem.limit)
    return TellerSystem.Ended(
      status: status, lines: process.text(of: .standardOutput), errors: process.text(of: .standardError))
  }

  /// A job in that standing; or the run of the plan, or an event.
  private func job(_ standing: PlayedCommand.Standing, _ plan: String?) async throws -> String {
    if standing == .plan, let plan { return plan }
    let id = UUID().uuidString.lowercased()
    if standing == .announced {
      let sent = try await system.run("teller", ["event", "push", "--id", id])
      #expect(sent.lines.first?.hasPrefix("\(id) announced") == true, "\(sent)")
      return id
    }
    let options =
      switch standing {
      case .held: ["noop", "--delay", "1h"]
      case .failed: ["fail", "--attempts", "1", "--wait"]
      case .succeeded, .plan, .announced: ["noop", "--wait"]
      }
    _ = try await system.run("teller", ["submit", "--id", id] + options)
    return id
  }
}
