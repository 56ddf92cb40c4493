import ArgumentParser
import Foundation
import JobModel
import JobTransport
import Teller

/// `teller status`: how the whole stands.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the departments, the workers, and the coordinator's connection to the broker.",
    discussion: """
      Waiting are jobs that are held or in their queue, working those that are known to run, done those that succeeded.

      With --json one object: "ledger", "epoch", "coordinator" {"started_ms", "version"}, "broker" {"state": connected, \
      blocked or lost}, "departments" [{"name", "ordered", "window", "tellers", "held", "queued", "running", \
      "succeeded", "failed", "cancelled"}], "workers" [{"id", "name", "tellers", "running", "last_seen_ms"}].
      """
  )

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let status = try await global.withClient("status") { try await $0.status() }
    if json { return try Output.json(status) }
    for line in StatusText.lines(status, now: Date(), width: TerminalSize.columns) { Output.line(line) }
  }
}

/// The status for people.
enum StatusText {
  static func lines(_ status: StatusDocument, now: Date, width: Int?) -> [String] {
    let since = Moments.text(status.coordinator.startedAt.milliseconds, now: now)
    return [
      "coordinator \(status.coordinator.version), since \(since)",
      "ledger      \(status.ledger), epoch \(status.epoch)",
      "broker      \(status.broker.state.rawValue)",
      "",
    ] + departments(status.departments).lines(width: width ?? .max) + [""]
      + (status.workers.isEmpty ? ["no workers"] : workers(status.workers).lines(width: width ?? .max))
  }

  private static func departments(_ departments: [DepartmentStatus]) -> Table {
    var table = Table("DEPARTMENT", "TELLERS", "WAITING", "WORKING", "DONE", "FAILED", "CANCELLED", "")
    for department in departments.sorted(by: { $0.name < $1.name }) {
      let counts = [
        department.tellers, department.held + department.queued, department.running, department.succeeded,
        department.failed, department.cancelled,
      ].map(String.init)
      table.add([department.name.name] + counts + [department.ordered ? "ordered" : ""])
    }
    return table
  }

  private static func workers(_ workers: [WorkerStatus]) -> Table {
    var table = Table("WORKER", "TELLERS", "WORKING", "LAST HEARD")
    for worker in workers.sorted(by: { $0.name < $1.name }) {
      let tellers = worker.tellers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      table.add(worker.name, tellers, String(worker.running), "\(Moments.duration(worker.lastSeenMs)) ago")
    }
    return table
  }
}
