import JobModel

/// The body of a presence.
struct PresenceDocument: Codable {
  struct Running: Codable {
    var job: JobID
    var release: Int
    var token: Int
  }

  var worker: WorkerID
  var session: Int
  var name: String
  var tellers: [String: Int]
  var ledger: LedgerID?
  var probe: Int
  var running: [Running]
  var goodbye: Bool

  init(_ presence: Presence) {
    worker = presence.worker
    session = presence.session
    name = presence.name
    tellers = presence.tellers
    ledger = presence.ledger
    probe = presence.probe
    running = presence.running.map { Running(job: $0.release.job, release: $0.release.number, token: $0.token) }
    goodbye = presence.isGoodbye
  }

  var value: Presence {
    Presence(
      worker: worker, session: session, name: name, tellers: tellers, ledger: ledger, probe: probe,
      running: running.map {
        RunningRelease(release: ReleaseID(job: $0.job, number: $0.release), token: $0.token)
      }, isGoodbye: goodbye)
  }
}

/// The body of a started.
struct StartedDocument: Codable {
  var worker: WorkerID
  var job: JobID
  var release: Int
  var token: Int
  var kind: JobKind
  var department: Department
  var attempt: Int

  init(_ started: Started) {
    worker = started.worker
    job = started.release.job
    release = started.release.number
    token = started.token
    kind = started.kind
    department = started.department
    attempt = started.attempt
  }

  var value: Started {
    Started(
      worker: worker, release: ReleaseID(job: job, number: release), token: token, kind: kind, department: department,
      attempt: attempt)
  }
}
