import Foundation
import GRDB
import JobModel

@testable import Ledger

/// A ledger with many rows of everything that grows, none of which is about what a test does.
enum FilledLedger {
  /// Makes the file, with that many rows in each table.
  static func make(at path: String, rows: Int) throws {
    let ledger = try Ledger(path: path)
    try ledger.pool.write { database in
      for sql in [jobs, besides, plans, events, orders] { try database.execute(sql: sql(rows)) }
    }
    try ledger.close()
  }

  /// Far behind the time of any test: nothing of this is due, or old.
  private static let far = 9_000_000_000_000

  private static func series(_ rows: Int) -> String {
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))"
  }

  /// Jobs in every state, of another department and another kind; those that have ended with what was told.
  private static func jobs(_ rows: Int) -> String {
    """
    \(series(rows)) INSERT INTO job (number, id, kind, department, priority, state, attempt, max_attempts, release, token,
      standing, accepted_at, not_before, withheld, order_plan, order_rank, order_position, open_dependencies, finished_at,
      seq, error_code, error_message, key, start_by, plan, step, round)
    SELECT i, randomblob(16), 'old', 'old', 4, iif(i % 8 < 4, 0, min(i % 8 - 2, 4)), 1, 3, 1, 1, i, 1,
      iif(i % 8 = 1, \(far), NULL), iif(i % 8 = 2, 1, 0), iif(i % 8 = 3, i, NULL), iif(i % 8 = 3, 1, NULL),
      iif(i % 8 = 3, 1, NULL), iif(i % 8 = 0, 1, 0), iif(i % 8 >= 4, \(far), NULL), iif(i % 8 >= 4, i, NULL),
      iif(i % 8 > 4, 'x', NULL), iif(i % 8 > 4, 'y', NULL), 'key ' || i, iif(i % 8 = 0, \(far), NULL),
      iif(i % 8 = 4, CAST('one plan of all!' AS BLOB), NULL), iif(i % 8 = 4, 's', NULL), iif(i % 8 = 4, 0, NULL)
    FROM n;
    INSERT INTO notification (number, epoch, moment, event, subject)
      SELECT seq, 1, finished_at, 'succeeded', CAST(x'6A' || id AS BLOB) FROM job WHERE seq IS NOT NULL;
    UPDATE reader SET number = \(rows);
    """
  }

  private static func besides(_ rows: Int) -> String {
    """
    INSERT INTO payload (job, bytes) SELECT number, x'00' FROM job;
    INSERT INTO attempt (job, number, ended_at, result) SELECT number, 1, 1, 'failed' FROM job;
    INSERT INTO dependency (job, on_id, rule, known, since)
      SELECT number, randomblob(16), 0, 0, \(far) FROM job WHERE open_dependencies > 0;
    INSERT INTO rule_job (job, rule, epoch, notification, cause, depth) SELECT number, 'r', 1, 1, id, 1 FROM job;
    INSERT INTO key (kind, text, job, until, look_at, number)
      SELECT 'old', 'key ' || number, id, \(far), \(far), number FROM job;
    \(series(rows)) INSERT INTO key_reset (kind, text, number, at) SELECT 'old', 'key ' || i, 0, \(far) FROM n;
    \(series(rows)) INSERT INTO removed (id, state) SELECT randomblob(16), 2 FROM n;
    \(series(rows)) INSERT INTO key_command (id, changed, at) SELECT randomblob(16), 1, \(far) FROM n;
    """
  }

  private static func plans(_ rows: Int) -> String {
    """
    \(series(rows)) INSERT INTO plan (number, id, department, state, accepted_at, finished_at)
      SELECT i + \(rows), randomblob(16), 'old', 2, 1, \(far) FROM n;
    \(series(rows)) INSERT INTO plan_command (id, answer, at) SELECT randomblob(16), '{}', \(far) FROM n;
    """
  }

  private static func events(_ rows: Int) -> String {
    """
    \(series(rows)) INSERT INTO event (id, name, plan, department, kind, state, received_at)
      SELECT randomblob(16), 'old', 'old', 'old', 'old', iif(i % 4 = 0, 'dismissed', 'acted'), \(far) FROM n;
    """
  }

  private static func orders(_ rows: Int) -> String {
    """
    \(series(rows)) INSERT INTO operation (action, department, up_to, total, started_at, finished_at, position)
      SELECT 'drop', 'old', 1, 1, \(far), \(far), \(far) FROM n;
    \(series(rows)) INSERT INTO action (at, action, job, operation) SELECT \(far), 'drop', randomblob(16), i FROM n;
    """
  }
}
