package import Foundation
package import JobModel

// Commands that stopped plans, with their answers: one that comes again changes nothing.
extension LedgerTransaction {
  /// The answer to a command that came before; nil when it has not, or so long ago that it is removed.
  package func planStop(by command: UUID) throws -> PlanStop? {
    try statements.first("SELECT answer FROM plan_command WHERE id = ?", command)
  }

  /// Records the answer to a command.
  package func add(_ stop: PlanStop, by command: UUID, at time: Timestamp) throws {
    try statements.run("INSERT INTO plan_command (id, answer, at) VALUES (?, ?, ?)", command, stop, time)
  }

  /// Removes what was answered before `time`; at most `limit`.
  func removePlanCommands(before time: Timestamp, limit: Int) throws {
    try statements.run(
      "DELETE FROM plan_command WHERE id IN (SELECT id FROM plan_command WHERE at < ? ORDER BY at, id LIMIT ?)",
      time, limit)
  }
}

extension PlanStop: Cell {
  var stored: String { StoredJSON.text(of: self) }
  init(stored: String) throws { self = try StoredJSON.value(of: stored, "an answer about a plan that is none") }
}
