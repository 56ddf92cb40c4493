import GRDB
package import JobModel

/// What the ledger has of the queue of a kind.
package struct LedgerQueue: Hashable, Sendable {
  /// The jobs that wait for a place in it, or for a handler.
  package var held = 0
  package var released = 0
  /// The releases that are void, and keep a place.
  package var void = 0

  package init() {}
}

extension LedgerReading {
  /// How many jobs of a kind wait for a place in the kind's own queue, and how many places are taken there.
  package func queue(of kind: JobKind, in department: Department) throws -> LedgerQueue {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT
            ifnull(sum(state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 1), 0),
            ifnull(sum(state = 1 AND beside = 1), 0),
            (SELECT count(*) FROM void WHERE void.department = :department AND void.kind = :kind)
          FROM job WHERE job.department = :department AND job.kind = :kind
          """, arguments: ["department": department.name, "kind": kind.name])
      var queue = LedgerQueue()
      if let row { (queue.held, queue.released, queue.void) = (row[0], row[1], row[2]) }
      return queue
    }
  }

  /// How many places of a department are taken, in its own queue and in those of its kinds.
  package func placesTaken(in department: Department) throws -> Int {
    try read {
      try Int.fetchOne(
        $0,
        sql: """
          SELECT (SELECT count(*) FROM job WHERE department = :department AND state = 1)
            + (SELECT count(*) FROM void WHERE department = :department)
          """, arguments: ["department": department.name]) ?? 0
    }
  }

  /// How many jobs of other kinds than this one are released.
  package func released(in department: Department, butOf kind: JobKind) throws -> Int {
    try read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM job WHERE department = ? AND kind <> ? AND state = 1",
        arguments: [department.name, kind.name]) ?? 0
    }
  }

  /// How many releases are void that may be in a department's own queue.
  package func void(in department: Department) throws -> Int {
    try read {
      try Int.fetchOne(
        $0, sql: "SELECT count(*) FROM void WHERE department = ? AND kind IS NULL", arguments: [department.name]) ?? 0
    }
  }
}
