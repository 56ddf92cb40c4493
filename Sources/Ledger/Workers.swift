import Foundation
package import JobModel

extension LedgerTransaction {
  /// Every worker that was welcomed and not forgotten, by id.
  package func welcomedWorkers() throws -> [WorkerRecord] {
    try statements.all("SELECT id, name, tellers, session FROM worker ORDER BY id") { cells in
      let tellers = try JSONDecoder().decode([String: Int].self, from: Data(try cells.string(2).utf8))
      return WorkerRecord(
        id: WorkerID(try cells.string(0)), name: try cells.string(1), tellers: tellers, session: try cells.int(3))
    }
  }

  /// Remembers a worker, with what it says of itself now.
  package func welcome(_ worker: WorkerRecord) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let tellers = String(decoding: try encoder.encode(worker.tellers), as: UTF8.self)
    try statements.run(
      """
      INSERT INTO worker (id, name, tellers, session) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, tellers = excluded.tellers, session = excluded.session
      """, [worker.id.cell, worker.name.cell, tellers.cell, worker.session.cell])
  }

  /// Forgets a worker that said goodbye or was given up; one that is not known is no error.
  package func forget(_ worker: WorkerID) throws {
    try statements.run("DELETE FROM worker WHERE id = ?", [worker.cell])
  }
}
