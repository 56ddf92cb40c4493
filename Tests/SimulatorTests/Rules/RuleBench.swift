import Decisions
import JobModel
import TestSupport

@testable import Simulator

/// A schedule in which nothing happens, with a coordinator that has not begun. A test writes into the ledger what it
/// likes, and looks what the rules find.
final class RuleBench {
  let world: World
  let node: CoordinatorNode
  private let setting: Setting
  private let folder: TemporaryFolder

  init(_ configuration: CoordinatorConfiguration = CoordinatorConfiguration()) throws {
    let (folder, world) = (try TemporaryFolder(), World(seed: 1, manner: .v3_10, isTraced: false))
    (self.folder, self.world) = (folder, world)
    setting = Setting(world)
    // Nothing of what the seed has drawn.
    (world.hasWebhooks, world.hasUsers) = (false, false)
    node = CoordinatorNode("coordinator", world, configuration, file: try LedgerCopy(in: folder.url, number: 1))
    world.coordinators = [node]
  }

  func audit(hasEnded: Bool = true) -> Audit { Audit(world: world, setting: setting, hasEnded: hasEnded) }

  /// What the rules have found at once, since they were last asked.
  func found() -> [String] {
    let found = world.failures
    world.failures = []
    return found
  }

  /// Writes a row into the ledger, with the values as SQL has them.
  func write(_ table: String, _ columns: [String: String]) throws {
    let sorted = columns.sorted { $0.key < $1.key }
    let (names, values) = (sorted.map(\.key).joined(separator: ", "), sorted.map(\.value).joined(separator: ", "))
    try node.file.change("INSERT INTO \(table) (\(names)) VALUES (\(values))")
  }

  /// Writes a job that is held, with what else its columns have.
  @discardableResult
  func job(_ columns: [String: String] = [:]) throws -> JobID {
    let id = JobID()
    let usual = [
      "id": id.sql, "kind": "'quick'", "department": "'work'", "priority": "5", "state": "0", "attempt": "1",
      "max_attempts": "1", "release": "0", "token": "0", "standing": "0", "accepted_at": "0",
    ]
    try write("job", usual.merging(columns) { $1 })
    return id
  }

  /// Writes the last run of a plan with a name.
  func run(of plan: String, phase: String, number: Int = 100, department: String) throws -> JobID {
    let run = JobID()
    try write("plan", ["id": run.sql, "number": "\(number)", "department": "'\(department)'", "accepted_at": "0"])
    try write("plan_phase", RuleBench.phase(of: plan, phase, run: run.sql, areGatesOpen: false))
    return run
  }

  /// The row of a plan with a name that runs.
  static func phase(_ plan: String, areGatesOpen: Bool) -> [String: String] {
    phase(of: plan, "running", run: "NULL", areGatesOpen: areGatesOpen)
  }

  private static func phase(of plan: String, _ phase: String, run: String, areGatesOpen: Bool) -> [String: String] {
    [
      "name": "'\(plan)'", "run": run, "phase": "'\(phase)'", "gates_open": areGatesOpen ? "1" : "0",
      "configured": "1", "has_gates": "1", "has_events": "1",
    ]
  }
}

extension JobID {
  /// As SQL has it.
  var sql: String { "x'\(description.filter { $0 != "-" })'" }
}
