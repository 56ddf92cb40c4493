import Foundation
import SystemSupport
import TestSupport
import Testing

/// What operators do and see, by the command line.
extension TellerSystem {
  /// Submits one job by `teller submit` and returns its id.
  func submitOne(_ arguments: String...) async throws -> String { try await submitOne(arguments) }

  /// The same.
  func submitOne(_ arguments: [String]) async throws -> String {
    let ended = try await run("teller", ["submit"] + arguments)
    try #require(ended.status == 0, "\(arguments): \(ended.errors)\n\(logs)")
    return try #require(ended.lines.first)
  }

  /// The one object that a command answers with, which must end well.
  func object(_ arguments: String...) async throws -> [String: any Sendable] {
    let ended = try await run("teller", arguments + ["--json"])
    #expect(ended.status == 0, "\(arguments): \(ended.errors)\n\(logs)")
    return try #require(ended.objects.last, "\(arguments) printed no object: \(ended.lines)")
  }

  /// Everything that is recorded of a job.
  func show(_ id: String) async throws -> [String: any Sendable] {
    try #require(try await ask("show", id, "--json").objects.first, "no job \(id)")
  }

  func state(of id: String) async throws -> String? { try await show(id)["state"] as? String }

  /// The words that stand before the reasons of an explanation.
  static func holds(_ explanation: [String]) -> [String] {
    explanation.dropFirst().filter { !$0.hasPrefix(" ") }.compactMap { line in
      line.split(separator: " ").first.map(String.init)
    }
  }

  /// Waits until exactly these reasons hold a job, and prints and returns what `teller explain` says of it then.
  @discardableResult
  func expectHolds(_ holds: String..., of job: String) async throws -> [String] {
    var lines: [String] = []
    try await eventually(
      "job \(job) is held by \(holds)", within: TellerSystem.limit, lastState: { "\(lines)\n\(logs)" }
    ) {
      lines = try await ask("explain", job).lines
      return TellerSystem.holds(lines) == holds
    }
    print(lines.joined(separator: "\n"))
    return lines
  }

  /// Waits until a department's line of `teller status` has these counts.
  func expect(_ counts: [String: Int], of department: String) async throws {
    var line: [String: any Sendable] = [:]
    try await eventually(
      "department \(department) has \(counts)", within: TellerSystem.limit, lastState: { "\(line)\n\(logs)" }
    ) {
      line = try await self.department(department)
      return counts.allSatisfy { line[$0.key] as? Int == $0.value }
    }
  }

  /// A job goes the whole way through a department: whatever could have started before it has.
  func passes(through department: String) async throws {
    let ended = try await teller("submit", "noop", "--department", department, "--wait")
    #expect(ended.status == 0, "no job passes through \(department): \(ended.errors)\n\(logs)")
  }

  /// A worker that is ready, whose handlers get that many seconds to end when they are cancelled.
  func startWorker(grace: Double, _ departments: String...) async throws -> RunningProcess {
    let worker = try launch(
      "testbench", departments.flatMap { ["--department", $0] } + ["--grace", String(grace)])
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    return worker
  }

  /// Waits until so many jobs that leave traces have begun.
  func expectRuns(_ count: Int) async throws {
    try await eventually(
      "\(count) jobs have begun", within: TellerSystem.limit, lastState: { "\(effectLines)\n\(logs)" }
    ) {
      effects.count >= count
    }
  }

  /// How the runs of a job ended that tell it.
  func endings(of job: String) -> [String] { effectLines.filter { $0.first == job && $0.count > 3 }.map { $0[3] } }

  /// The ids under a key of an answer.
  static func ids(_ value: (any Sendable)?) -> [String] { (value as? [String]) ?? [] }

  /// Has the broker close every connection to the system's virtual host.
  func closeAllConnections() async throws {
    let virtualHost = brokerURL.split(separator: "/").last.map(String.init) ?? ""
    try await BrokerNode.shared.ctl("close_all_connections", "--vhost", virtualHost, "a test")
  }
}
