package import Foundation
import GRDB
package import JobModel

/// Reads a ledger as another program would: with SQL of its own, on a connection that cannot write, while the coordinator
/// goes on.
package struct LedgerReading {
  private let file: DatabaseQueue
  /// The moment of a time that the ledger has, in milliseconds.
  private let moment: @Sendable (Int64) -> Moment

  package init(
    _ file: URL, moment: @escaping @Sendable (Int64) -> Moment = WallClock().moment
  ) throws {
    self.moment = moment
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    self.file = try DatabaseQueue(path: file.path, configuration: configuration)
  }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try file.read(body) }

  /// Nobody reads any more: the file may be taken away.
  package func close() throws { try file.close() }

  /// The ids of what was accepted.
  package func accepted() throws -> Set<JobID> {
    try file.read { Set(try Data.fetchAll($0, sql: "SELECT id FROM job").compactMap(JobID.init(bytes:))) }
  }

  /// The jobs that have no outcome yet; the first to be accepted is the first.
  package func openJobs() throws -> [JobID] {
    try file.read {
      try Data.fetchAll($0, sql: "SELECT id FROM job WHERE state < 2 ORDER BY number").compactMap(JobID.init(bytes:))
    }
  }

  /// How many jobs have no outcome yet.
  package func open() throws -> Int {
    try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM job WHERE state < 2") ?? 0 }
  }

  /// The states of those of these jobs that were accepted.
  package func states(of jobs: some Sequence<JobID>) throws -> [JobID: Int] {
    try file.read { database in
      let statement = try database.makeStatement(sql: "SELECT state FROM job WHERE id = ?")
      var states: [JobID: Int] = [:]
      for job in jobs { states[job] = try Int.fetchOne(statement, arguments: [job.bytes]) }
      return states
    }
  }

  /// The present release of a job, and the token by which it may run; nil: it is not released.
  package func presentRun(of job: JobID) throws -> (release: Int, token: Int)? {
    try file.read { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT release, token FROM job WHERE id = ? AND state = 1", arguments: [job.bytes])
      guard let row else { return nil }
      return (row[0], row[1])
    }
  }

  /// The names of the departments that are paused.
  package func pausedDepartments() throws -> Set<String> {
    try file.read { Set(try String.fetchAll($0, sql: "SELECT name FROM department WHERE paused = 1")) }
  }

  /// Everything that the checker looks at: too much to be asked again and again.
  package func findings() throws -> LedgerFindings {
    try file.read { database in
      var findings = LedgerFindings()
      findings.integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
      findings.danglingRows = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").count
      findings.sequence = try sequence(database)
      findings.jobs = try jobs(database)
      for row in try Row.fetchAll(database, sql: "SELECT id, state FROM plan WHERE state IS NOT NULL") {
        if let id = (row[0] as Data?).flatMap(JobID.init(bytes:)) { findings.plans[id] = row[1] }
      }
      return findings
    }
  }

  private func sequence(_ database: Database) throws -> (Int, Int, Int) {
    let row = try Row.fetchOne(
      database, sql: "SELECT ifnull(min(number), 1), ifnull(max(number), 0), count(*) FROM notification")
    return (row?[0] ?? 1, row?[1] ?? 0, row?[2] ?? 0)
  }

  private func jobs(_ database: Database) throws -> [JobID: LedgerFindings.Job] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, state, attempt, finished_at, ifnull(told, 0), key, again_of, error_code, deaths,
          department, order_plan, order_rank, plan, step, round, settlement IS NOT NULL, kind, told_by
        FROM job LEFT JOIN (
          SELECT substr(subject, 2) AS told_id, count(*) AS told, max(number) AS told_by FROM notification
          WHERE event IN ('succeeded', 'failed', 'cancelled') GROUP BY subject) ON told_id = id
        """)
    var jobs: [JobID: LedgerFindings.Job] = [:]
    for row in rows {
      guard let id = (row[0] as Data?).flatMap(JobID.init(bytes:)) else { continue }
      let ended: Int64? = row[3]
      var job = LedgerFindings.Job(state: row[1], attempt: row[2], hasEnd: ended != nil, notifications: row[4])
      job.ended = ended.map(moment)
      job.key = row[5]
      job.againOf = (row[6] as Data?).flatMap(JobID.init(bytes:))
      job.errorCode = row[7]
      job.deaths = row[8]
      job.department = row[9]
      if let plan: Int = row[10], let rank: Int = row[11] { job.order = LedgerFindings.Order(plan: plan, rank: rank) }
      job.plan = (row[12] as Data?).flatMap(JobID.init(bytes:))
      (job.step, job.round, job.isSettled, job.kind) = (row[13], row[14], row[15], row[16])
      job.outcomeEvent = row[17]
      jobs[id] = job
    }
    try readAttempts(database, of: &jobs)
    return jobs
  }

  private func readAttempts(_ database: Database, of jobs: inout [JobID: LedgerFindings.Job]) throws {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, attempt.number, iif(attempt.error_code = 'unreported', 'lost', attempt.result)
        FROM attempt JOIN job ON job.number = attempt.job
        """)
    for row in rows {
      guard let id = (row[0] as Data?).flatMap(JobID.init(bytes:)) else { continue }
      jobs[id]?.attempts[row[1]] = row[2]
    }
  }
}

/// The ledger's times are those of the wall clock.
package struct WallClock: Sendable {
  private let now = Moment.now
  private let milliseconds = Int64(Date().timeIntervalSince1970 * 1_000)

  package func moment(_ time: Int64) -> Moment { now + Duration.milliseconds(time - milliseconds) }
}

extension JobID {
  /// An id as the ledger keeps it: sixteen bytes.
  init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    let uuid = bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
    self.init(UUID(uuid: uuid))
  }

  var bytes: Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }
}
