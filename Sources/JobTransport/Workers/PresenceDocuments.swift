import JobModel

/// The body of a presence.
struct PresenceDocument: Codable {
  struct Running: Codable {
    var job: JobID
    var release: Int
    var token: Int
    /// Nil: it is not stuck.
    var stuck: Bool?
  }

  var worker: WorkerID
  var session: Int
  var name: String
  var tellers: [String: Int]
  /// Nil: the worker takes every kind, from its departments' own queues.
  var kinds: [JobKind]?
  /// By department and kind; nil: none.
  var beside: [String: [String: Int]]?
  /// Nil: none; a worker of another make need not name them.
  var paused: [String]?
  var ledger: LedgerID?
  var probe: Int
  var running: [Running]
  /// Nil: the worker does not drain.
  var draining: Bool?
  var goodbye: Bool

  init(_ presence: Presence) {
    worker = presence.worker
    session = presence.session
    name = presence.name
    tellers = presence.tellers
    kinds = presence.kinds?.sorted()
    beside = SharesDocument.document(of: presence.beside)
    paused = presence.paused
    ledger = presence.ledger
    probe = presence.probe
    running = presence.running.map(Running.init)
    draining = presence.isDraining ? true : nil
    goodbye = presence.isGoodbye
  }

  func value() throws(Unreadable) -> Presence {
    Presence(
      worker: worker, session: session, name: name, tellers: tellers, kinds: kinds.map(Set.init),
      beside: try SharesDocument.shares(beside), paused: paused ?? [], ledger: ledger, probe: probe,
      running: running.map(\.value), isDraining: draining ?? false, isGoodbye: goodbye)
  }
}

extension PresenceDocument.Running {
  init(_ running: RunningRelease) {
    job = running.release.job
    release = running.release.number
    token = running.token
    // Left out when it is false: a presence may list thousands of jobs every two seconds, and few of them are stuck.
    stuck = running.isStuck ? true : nil
  }

  var value: RunningRelease {
    RunningRelease(release: ReleaseID(job: job, number: release), token: token, isStuck: stuck ?? false)
  }
}
