/// One release that a worker runs, or has run and whose report is not yet confirmed.
package struct RunningRelease: Hashable, Sendable, Codable {
  package var release: ReleaseID
  package var token: Int
  package init(release: ReleaseID, token: Int) {
    self.release = release
    self.token = token
  }
}

/// What a worker announces about itself, every 2 s, at once when a probe arrives, and before it consumes.
package struct Presence: Hashable, Sendable, Codable {
  package var worker: WorkerID
  /// Counts the worker's connections; a welcome repeats it.
  package var session: Int
  /// For people: host name and process id.
  package var name: String
  /// Tellers per department.
  package var tellers: [String: Int]
  /// The ledger that welcomed it; nil: it asks to be welcomed.
  package var ledger: LedgerID?
  /// The last probe it has read on this connection; 0: none.
  package var probe: Int
  package var running: [RunningRelease]
  /// It has drained and will run nothing more.
  package var isGoodbye: Bool

  package init(
    worker: WorkerID, session: Int, name: String, tellers: [String: Int], ledger: LedgerID?, probe: Int,
    running: [RunningRelease], isGoodbye: Bool = false
  ) {
    self.worker = worker
    self.session = session
    self.name = name
    self.tellers = tellers
    self.ledger = ledger
    self.probe = probe
    self.running = running
    self.isGoodbye = isGoodbye
  }
}

/// A job has been running for a moment: for those who watch, never recorded.
package struct Started: Hashable, Sendable, Codable {
  package var worker: WorkerID
  package var release: ReleaseID
  package var token: Int
  package var kind: JobKind
  package var department: Department
  package var attempt: Int

  package init(
    worker: WorkerID, release: ReleaseID, token: Int, kind: JobKind, department: Department, attempt: Int
  ) {
    self.worker = worker
    self.release = release
    self.token = token
    self.kind = kind
    self.department = department
    self.attempt = attempt
  }
}

/// Everything that travels in `teller.presence`.
package enum PresenceMessage: Hashable, Sendable {
  case presence(Presence)
  case started(Started)
  /// The coordinator's own: it hears.
  case pulse
  case unreadable(String)
}

/// What the coordinator tells a worker that announces itself; without it a worker consumes nothing.
package struct Welcome: Hashable, Sendable, Codable {
  package var ledger: LedgerID
  package var session: Int
  /// The departments that the worker named and that exist.
  package var departments: [Department]
  /// Those it named that do not; the worker says so and ends.
  package var unknown: [String]

  package init(ledger: LedgerID, session: Int, departments: [Department], unknown: [String]) {
    self.ledger = ledger
    self.session = session
    self.departments = departments
    self.unknown = unknown
  }
}

/// The answer to a claim.
package enum Verdict: Hashable, Sendable {
  /// Run it, as this attempt, with this token.
  case run(token: Int, attempt: Int)
  /// Another worker runs it: ack and forget.
  case elsewhere
  /// It is not the job's current release, or the job has ended: ack and forget.
  case drop
}

/// Everything that travels to a worker's own control queue.
package enum ControlMessage: Hashable, Sendable {
  case welcome(Welcome)
  /// Announce yourself at once, and repeat this number.
  case probe(number: Int)
  case answer(release: ReleaseID, claim: Int, Verdict)
  /// The worker's own: it hears.
  case pulse
  case unreadable(String)
}
