import Foundation
package import JobModel

extension LedgerTransaction {
  /// Every worker that was welcomed and not forgotten, by id.
  package func welcomedWorkers() throws -> [WorkerRecord] {
    try statements.all("SELECT id, name, tellers, session, wanted FROM worker ORDER BY id") { cells in
      WorkerRecord(
        id: WorkerID(try cells.string(0)), name: try cells.string(1), tellers: try Self.tellers(cells.string(2)),
        session: try cells.int(3), wanted: try Self.tellers(cells.string(4)))
    }
  }

  /// Remembers a worker, with what it says of itself now. What one that is known was told to have stays.
  package func welcome(_ worker: WorkerRecord) throws {
    try statements.run(
      """
      INSERT INTO worker (id, name, tellers, session, wanted) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, tellers = excluded.tellers, session = excluded.session
      """,
      [
        worker.id.cell, worker.name.cell, try Self.text(worker.tellers).cell, worker.session.cell,
        try Self.text(worker.wanted).cell,
      ])
  }

  /// Remembers how many tellers a worker was told to have, per department; one that is not known is no error.
  package func setWanted(_ worker: WorkerID, _ tellers: [String: Int]) throws {
    try statements.run("UPDATE worker SET wanted = ? WHERE id = ?", [try Self.text(tellers).cell, worker.cell])
  }

  /// Forgets a worker that said goodbye or was given up; one that is not known is no error.
  package func forget(_ worker: WorkerID) throws {
    try statements.run("DELETE FROM worker WHERE id = ?", [worker.cell])
  }

  private static func tellers(_ text: String) throws -> [String: Int] {
    try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
  }

  private static func text(_ tellers: [String: Int]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(tellers), as: UTF8.self)
  }
}
