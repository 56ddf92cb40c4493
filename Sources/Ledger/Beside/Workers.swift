import Foundation
package import JobModel

/// A worker that was welcomed, has not said goodbye, and was not given up. A coordinator that is started again waits
/// for it.
package struct WorkerRecord: Hashable, Sendable {
  package var id: WorkerID
  /// For people.
  package var name: String
  /// Tellers per department.
  package var tellers: [String: Int]
  /// Which of its connections was welcomed.
  package var session: Int
  /// How many tellers it was told to have, per department. In any other department it has as many as it wants.
  package var wanted: [String: Int]
  /// Whether an operator has ordered it to drain.
  package var isToDrain: Bool
  /// Until when it has said that its drain takes; nil: it has not said that it drains.
  package var drainsUntil: Timestamp?
  /// The user of the broker who announced it first; empty if that message named no user. Nil: not known.
  package var owner: String?
  /// The kinds that it has handlers for; nil: it takes every kind.
  package var kinds: Set<JobKind>?
  /// The last number that the claims had used when it was welcomed. It has been waited for since then. Nil: not known.
  package var welcomedNumber: Int?

  package init(
    id: WorkerID, name: String, tellers: [String: Int], session: Int, wanted: [String: Int] = [:],
    isToDrain: Bool = false, owner: String? = nil, kinds: Set<JobKind>? = nil, welcomedNumber: Int? = nil
  ) {
    (self.id, self.name, self.tellers, self.session) = (id, name, tellers, session)
    (self.isToDrain, self.wanted, self.owner, self.kinds, self.welcomedNumber) = (
      isToDrain, wanted, owner, kinds, welcomedNumber
    )
  }
}

extension LedgerTransaction {
  /// How many workers that were given up are remembered, with their owners and what they were told to have; the oldest
  /// are forgotten.
  static let departedLimit = 1_000

  /// Every worker that was welcomed, and neither given up nor forgotten, by id.
  package func welcomedWorkers() throws -> [WorkerRecord] {
    try statements.all(
      """
      SELECT id, name, tellers, session, wanted, owner, kinds, welcomed_number, drain, drains_until FROM worker
      WHERE left_at IS NULL ORDER BY id
      """
    ) { cells in
      var worker = WorkerRecord(
        id: try cells[0], name: try cells[1], tellers: try Self.value(cells[2]), session: try cells[3],
        wanted: try Self.value(cells[4]), isToDrain: try cells[8], owner: try cells[5],
        kinds: try (cells[6] as String?).map(Self.value),
        welcomedNumber: try cells[7])
      worker.drainsUntil = try cells[9]
      return worker
    }
  }

  /// The user who announced a worker first, empty when that message named none; nil: nobody has, or it is not known.
  /// Also of one that was given up.
  package func owner(of worker: WorkerID) throws -> String? {
    try statements.first("SELECT owner FROM worker WHERE id = ?", worker) { try $0[0] as String? } ?? nil
  }

  /// Remembers a worker, with what it says of itself now. What one that is known was told to have stays, also when it
  /// was given up meanwhile; and so does its owner.
  ///
  /// - Returns: what it was told to have, per department.
  @discardableResult
  package func welcome(_ worker: WorkerRecord) throws -> [String: Int] {
    let wanted: String? = try statements.first(
      """
      INSERT INTO worker (id, name, tellers, session, wanted, owner, kinds, welcomed_number)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, tellers = excluded.tellers, session = excluded.session,
        kinds = excluded.kinds, welcomed_number = excluded.welcomed_number,
        left_at = NULL, owner = coalesce(owner, excluded.owner)
      RETURNING wanted
      """,
      worker.id, worker.name, try Self.json(worker.tellers), worker.session, try Self.json(worker.wanted),
      worker.owner, try (worker.kinds?.sorted()).map(Self.json), worker.welcomedNumber)
    return try Self.value(wanted ?? "{}")
  }

  /// Remembers how many tellers a worker was told to have, per department; one that is not known is no error.
  package func setWanted(_ worker: WorkerID, _ tellers: [String: Int]) throws {
    try statements.run("UPDATE worker SET wanted = ? WHERE id = ?", try Self.json(tellers), worker)
  }

  /// Remembers that an operator has ordered a worker to drain. The order lasts as long as the row of the worker, also when
  /// the worker is given up meanwhile and comes back.
  package func orderDrain(of worker: WorkerID) throws {
    try statements.run("UPDATE worker SET drain = 1 WHERE id = ?", worker)
  }

  /// Whether an operator has ordered the worker to drain, and until when it has said that its drain takes; neither of a
  /// worker that is not known.
  package func drain(of worker: WorkerID) throws -> (isOrdered: Bool, until: Timestamp?) {
    try statements.first("SELECT drain, drains_until FROM worker WHERE id = ?", worker) { cells in
      (isOrdered: try cells[0], until: try cells[1])
    } ?? (isOrdered: false, until: nil)
  }

  /// Remembers until when a worker has said that its drain takes; nil: it does not drain.
  package func setDrain(of worker: WorkerID, until time: Timestamp?) throws {
    try statements.run("UPDATE worker SET drains_until = ? WHERE id = ?", time, worker)
  }

  /// A worker was silent for too long. Whose it is, and what it was told to have, is remembered, in case it comes back;
  /// one that is not known is no error.
  package func giveUp(_ worker: WorkerID, at time: Timestamp) throws {
    try statements.run("UPDATE worker SET left_at = ? WHERE id = ?", time, worker)
    try statements.run(
      """
      DELETE FROM worker WHERE id IN (
        SELECT id FROM worker WHERE left_at IS NOT NULL ORDER BY left_at DESC, id LIMIT -1 OFFSET ?)
      """, Self.departedLimit)
  }

  /// Forgets a worker that said goodbye; one that is not known is no error.
  package func forget(_ worker: WorkerID) throws {
    try statements.run("DELETE FROM worker WHERE id = ?", worker)
  }

  private static func value<Value: Decodable>(_ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
