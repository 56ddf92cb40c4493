/// One release that a worker runs, or has run and whose report is not yet confirmed.
package struct RunningRelease: Hashable, Sendable, Codable {
  private var job: JobID
  private var number: Int
  package var token: Int
  /// Its time limit has passed, and its handler does not react.
  @Omissible package var isStuck: Bool

  package init(release: ReleaseID, token: Int, isStuck: Bool = false) {
    (job, number) = (release.job, release.number)
    self.token = token
    self.isStuck = isStuck
  }

  package var release: ReleaseID { ReleaseID(job: job, number: number) }

  enum CodingKeys: String, CodingKey {
    case job, token
    case number = "release"
    case isStuck = "stuck"
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
  private var sortedKinds: [JobKind]?
  /// By department: how many of its tellers serve the queue of a kind.
  @Omissible package var beside: [String: [JobKind: Int]]
  /// By department: how many jobs it takes beyond its tellers. Departments without any are not named.
  @Omissible package var ahead: [String: Int]
  /// Those of its departments from which it takes nothing, because they are paused. A worker of another make need not
  /// name them.
  @Omissible package var paused: [String]
  /// By department: how many of its tellers have a handler that does not react to its cancellation.
  @Omissible package var stuck: [String: Int]
  /// The ledger that welcomed it; nil: it asks to be welcomed.
  package var ledger: LedgerID?
  /// When it was made, by the worker's own clock, in milliseconds. A welcome repeats it.
  package var sentMs: Int64?
  /// The last probe it has read on this connection; 0: none.
  package var probe: Int
  package var running: [RunningRelease]
  private var waitingIfAny: [WaitingRelease]?
  /// It takes nothing new any more, and lets end what it has.
  @Omissible package var isDraining: Bool
  /// Of a worker that drains: after what time it expects to be killed, in milliseconds; nil: it does not say.
  package var drainMs: Int64?
  /// It has drained and will run nothing more.
  package var isGoodbye: Bool
  /// The user of the broker that the message names, not the worker itself, whose JSON has no user; nil: none.
  package var user: String?

  package init(
    worker: WorkerID, session: Int, name: String, tellers: [String: Int], kinds: Set<JobKind>? = nil,
    beside: [String: [JobKind: Int]] = [:], ahead: [String: Int] = [:], paused: [String] = [],
    stuck: [String: Int] = [:], ledger: LedgerID?, probe: Int, running: [RunningRelease],
    waiting: [WaitingRelease] = [], isDraining: Bool = false,
    isGoodbye: Bool = false, user: String? = nil
  ) {
    self.user = user
    self.ahead = ahead
    waitingIfAny = waiting.isEmpty ? nil : waiting
    self.worker = worker
    self.session = session
    self.name = name
    self.tellers = tellers
    sortedKinds = kinds?.sorted()
    self.beside = beside
    self.paused = paused
    self.stuck = stuck
    self.ledger = ledger
    self.probe = probe
    self.running = running
    self.isDraining = isDraining
    self.isGoodbye = isGoodbye
  }

  /// How long its drain may take from now on.
  package var drainTime: Duration {
    drainMs.map { min(max(.zero, .milliseconds($0)), Presence.longestDrain) } ?? Presence.usualDrain
  }

  /// The time of a drain whose worker does not say how long it may take.
  package static let usualDrain: Duration = .seconds(3_600)
  package static let longestDrain: Duration = .seconds(86_400)

  /// The kinds that it has handlers for; nil: it takes every kind from its departments' own queues.
  package var kinds: Set<JobKind>? { sortedKinds.map(Set.init) }
  /// The releases that it has taken ahead: they wait for one of its tellers.
  package var waiting: [WaitingRelease] {
    get { waitingIfAny ?? [] }
    set { waitingIfAny = newValue.isEmpty ? nil : newValue }
  }

  enum CodingKeys: String, CodingKey {
    case worker, session, name, tellers, beside, ahead, paused, stuck, ledger, probe, running
    case sentMs = "sent_ms"
    case sortedKinds = "kinds"
    case waitingIfAny = "waiting"
    case isDraining = "draining"
    case drainMs = "drain_ms"
    case isGoodbye = "goodbye"
  }
}

/// A job has been running for a moment: for those who watch, never recorded.
package struct Started: Hashable, Sendable, Codable {
  package var worker: WorkerID
  private var job: JobID
  private var number: Int
  package var token: Int
  package var kind: JobKind
  package var department: Department
  package var attempt: Int

  package init(
    worker: WorkerID, release: ReleaseID, token: Int, kind: JobKind, department: Department, attempt: Int
  ) {
    self.worker = worker
    (job, number) = (release.job, release.number)
    self.token = token
    self.kind = kind
    self.department = department
    self.attempt = attempt
  }

  package var release: ReleaseID { ReleaseID(job: job, number: number) }

  enum CodingKeys: String, CodingKey {
    case worker, job, token, kind, department, attempt
    case number = "release"
  }
}

/// Everything that travels in `teller.presence`.
package enum PresenceMessage: Hashable, Sendable {
  case presence(Presence)
  case started(Started)
  case progress(WorkerProgress)
  /// The coordinator's own: it hears.
  case pulse
  /// The worker would serve what its user may not. The worker is told so.
  case refused(Presence, JobFailure)
  /// It cannot be used. Nothing changes, and its worker is answered.
  case flawed(FlawedMessage)
}

/// What the coordinator answers a worker whose message it could not use.
package struct RefusedMessage: Hashable, Sendable, Codable {
  /// The property `type` of the message.
  package var type: String
  package var failure: JobFailure
  /// Of a report: the release whose attempt it has ended as a failure.
  package var release: ReleaseID?

  package init(type: String, failure: JobFailure, release: ReleaseID? = nil) {
    (self.type, self.failure, self.release) = (type, failure, release)
  }

  enum CodingKeys: String, CodingKey {
    case type, release
    case failure = "error"
  }
}

/// What the coordinator tells a worker that announces itself; without it a worker consumes nothing.
package struct Welcome: Hashable, Sendable, Codable {
  package var ledger: LedgerID
  package var epoch: Int
  package var session: Int
  /// That of the presence that it answers.
  package var sentMs: Int64?
  /// When it was made, by the ledger's clock, in milliseconds.
  package var atMs: Int64?
  /// How long the coordinator waits for a worker that it does not hear.
  package var leaseMs: Int64?
  /// The departments that the worker named and that exist.
  package var departments: [Department]
  /// Those it named that do not; the worker says so and ends.
  package var unknown: [String]
  /// Why it is welcomed for none of them: its user may not serve them. It says so and ends.
  package var refusal: JobFailure?
  package var staffing: Staffing
  /// The void releases of its departments.
  package var voidList: VoidList
  /// How long the coordinator's file lets jobs wait between attempts, by kind; only kinds of the worker's handlers.
  @Omissible package var retries: [JobKind: RetrySettings]

  package init(
    ledger: LedgerID, epoch: Int, session: Int, departments: [Department], unknown: [String],
    refusal: JobFailure? = nil, staffing: Staffing = Staffing(), void: [ReleaseID] = [], ended: [ReleaseID] = [],
    retries: [JobKind: RetrySettings] = [:], sentMs: Int64? = nil, atMs: Int64? = nil,
    leaseMs: Int64? = nil
  ) {
    (self.sentMs, self.atMs, self.leaseMs) = (sentMs, atMs, leaseMs)
    self.retries = retries
    self.ledger = ledger
    self.epoch = epoch
    self.session = session
    self.departments = departments
    self.unknown = unknown
    self.refusal = refusal
    self.staffing = staffing
    voidList = VoidList(releases: void, ended: ended)
  }

  /// Releases of its departments that must not be started when they come fresh from their queue.
  package var void: [ReleaseID] { voidList.releases }
  /// Those of `void` whose job has ended.
  package var ended: [ReleaseID] { voidList.ended }

  enum CodingKeys: String, CodingKey {
    case ledger, epoch, session, departments, unknown, staffing, retries
    case sentMs = "sent_ms"
    case atMs = "at_ms"
    case leaseMs = "lease_ms"
    case refusal = "refused"
    case voidList = "void"
  }
}

/// What a worker is to serve from now on. Each staffing is complete, so that the next one makes good one that is lost.
package struct Staffing: Hashable, Sendable, Codable {
  /// Tellers by department, where they were changed; the worker's own number elsewhere.
  package var tellers: [String: Int]
  /// Departments of which nothing is to be taken.
  package var paused: [String]
  /// By department: how many of its tellers serve the queue of a kind, and not the department's own.
  @Omissible package var beside: [String: [JobKind: Int]]
  /// By department: how many jobs it takes beyond its tellers; none where nothing is said.
  @Omissible package var ahead: [String: Int]
  /// The worker is to drain: an operator has ordered it. It cannot be taken back.
  @Omissible package var isToDrain: Bool

  package init(
    tellers: [String: Int] = [:], paused: [String] = [], beside: [String: [JobKind: Int]] = [:],
    ahead: [String: Int] = [:], isToDrain: Bool = false
  ) {
    self.ahead = ahead
    self.tellers = tellers
    self.paused = paused
    self.beside = beside
    self.isToDrain = isToDrain
  }

  enum CodingKeys: String, CodingKey {
    case tellers, paused, beside, ahead
    case isToDrain = "drain"
  }
}

/// Everything that travels to a worker's own control queue.
package enum ControlMessage: Hashable, Sendable {
  case welcome(Welcome)
  /// Announce yourself at once, and repeat this number.
  /// `since`: when the coordinator's session began, by the ledger's clock; what was released by then is to be claimed.
  case probe(number: Int, since: Timestamp?)
  /// To claims that were answered at the same time.
  case answers([ClaimAnswer])
  case staffing(Staffing)
  case void(VoidChange)
  /// These adoptions are recorded: their deliveries may be acked.
  case adopted([ReleaseID])
  /// The reports of these releases that came early are recorded: see ``ReportMessage``.
  case recorded([ReleaseID])
  /// A message of the worker cannot be used.
  case refused(RefusedMessage)
  /// The worker's own, by the exchange of echoes: it hears.
  case pulse(number: Int?)
  case unreadable(String)
}
