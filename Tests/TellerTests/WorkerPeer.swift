import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Synchronization
import Testing
import TestSupport

@testable import Teller

/// Plays the coordinator's part towards workers, on a real broker and over the real wire: declares what lasts, welcomes,
/// releases, probes and answers as the test tells it to, and reads what workers send.
final class WorkerPeer: Sendable {
  let url: String
  let ledger: LedgerID
  let connection: Connection
  private let reports: Consumer
  private let presences: Consumer
  /// What its welcomes say of the ledger's epoch, the staffing and the void releases.
  private let wanted = Mutex(Wanted())
  private let heard = Mutex(Heard())

  private struct Wanted {
    var epoch = 1
    var staffing = Staffing()
    var void: [ReleaseID] = []
    var ended: [ReleaseID] = []
    var retries: [JobKind: RetrySettings] = [:]
    var leaseMs: Int64 = 5_000
  }

  private struct Heard {
    /// The claims and adoptions that it has answered. One of these may come again: it was on its way before its answer
    /// was read.
    var claims: Set<ClaimRequest> = []
    var adoptions: Set<ReleaseID> = []
    /// The rest of the last message with claims, and of the last one with reports: they are read one by one.
    var rest: [ClaimRequest] = []
    var reports: [ReportMessage] = []
  }

  /// On a virtual host of its own, or at that address.
  static func start(
    at url: String? = nil, departments: [Department] = ["deposit"], ledger: LedgerID = LedgerID()
  ) async throws -> WorkerPeer {
    let address: String
    if let url { address = url } else { address = try await BrokerNode.shared.makeVirtualHost() }
    return try await settingUp("the peer has declared what lasts") {
      try await WorkerPeer(at: address, departments: departments, ledger: ledger)
    }
  }

  /// On a broker that was just started: it accepts connections before all of its queues are there.
  static func startAgain(at url: String, ledger: LedgerID) async throws -> WorkerPeer {
    var peer: WorkerPeer?
    try await eventually("the broker has its queues again", within: setUpPatience) {
      peer = try await start(at: url, ledger: ledger)
      return true
    }
    return try #require(peer)
  }

  private init(at url: String, departments: [Department], ledger: LedgerID) async throws {
    self.url = url
    self.ledger = ledger
    connection = try await Connection.patient(to: url, name: "worker peer")
    try await Topology.declareAll(on: connection, departments: departments)
    reports = try await connection.consume(Topology.Queue.reports, options: ConsumeOptions(prefetch: 100))
    presences = try await connection.consume(Topology.Queue.presence, options: ConsumeOptions(prefetch: 100))
  }

  func close() async { await connection.close() }

  /// Has the broker close every connection of the virtual host, its own too; gives the peer that comes after it.
  func afterClosingConnections(ledger: LedgerID? = nil) async throws -> WorkerPeer {
    let virtualHost = try BrokerURL(url).virtualHost
    try await BrokerNode.shared.ctl("close_all_connections", "--vhost", virtualHost, "test")
    await close()
    return try await WorkerPeer.start(at: url, ledger: ledger ?? self.ledger)
  }
}

// What it says.
extension WorkerPeer {
  /// When it is at the peer in each welcome. What it releases is released an hour later, after each consumer has begun.
  static let welcomedAt = Timestamp(milliseconds: 1_700_000_000_000)

  func welcome(
    _ presence: Presence, session: Int? = nil, unknown: [String] = [], refusal: JobFailure? = nil
  ) async throws {
    let departments = presence.tellers.keys.compactMap { Department($0) }
    let wanted = wanted.withLock(\.self)
    let welcome = Welcome(
      ledger: ledger, epoch: wanted.epoch, session: session ?? presence.session, departments: departments,
      unknown: unknown, refusal: refusal, staffing: wanted.staffing, void: wanted.void, ended: wanted.ended,
      retries: wanted.retries, sentMs: presence.sentMs, atMs: WorkerPeer.welcomedAt.milliseconds,
      leaseMs: wanted.leaseMs)
    try await say(ControlCodec.encode(welcome, to: presence.worker))
  }

  /// What its next welcomes say. What is not given stays as it is.
  func want(
    epoch: Int? = nil, staffing: Staffing? = nil, void: [ReleaseID]? = nil, ended: [ReleaseID]? = nil,
    retries: [JobKind: RetrySettings]? = nil, leaseMs: Int64? = nil
  ) {
    wanted.withLock { wanted in
      wanted.leaseMs = leaseMs ?? wanted.leaseMs
      wanted.retries = retries ?? wanted.retries
      wanted.epoch = epoch ?? wanted.epoch
      wanted.staffing = staffing ?? wanted.staffing
      wanted.void = void ?? wanted.void
      wanted.ended = ended ?? wanted.ended
    }
  }

  func staff(_ staffing: Staffing, _ worker: WorkerID) async throws {
    want(staffing: staffing)
    try await say([ControlCodec.encode(staffing, to: worker)])
  }

  /// Tells the workers of the department, and waits until one of them has read it.
  func change(_ change: VoidChange, _ worker: WorkerID, probe number: Int) async throws {
    try await say(ControlCodec.encode(change, toWorkersOf: "deposit"))
    try await probe(number, worker)
    _ = try await nextPresence("the echo of \(number)") { $0.probe == number }
  }

  func adopted(_ requests: [AdoptionRequest]) async throws {
    guard let worker = requests.first?.worker else { return }
    heard.withLock { $0.adoptions.formUnion(requests.map(\.release)) }
    try await say(ControlCodec.encode(adopted: requests.map(\.release), to: worker))
  }

  private func say(_ messages: [TransientPublishing]) async throws {
    for message in messages { try await connection.publish(message) }
  }

  /// Waits for a worker that asks to be welcomed, and welcomes it.
  /// With a presence of its connection before, it must be a later one: what it asked there may still be in the queue,
  /// and a welcome to that would be none.
  @discardableResult
  func welcomeNext(after earlier: Presence? = nil) async throws -> Presence {
    let lastSession = earlier?.session ?? 0
    let presence = try await nextPresence("a worker asks for its welcome") {
      $0.ledger == nil && !$0.isGoodbye && $0.session > lastSession
    }
    try await welcome(presence)
    return presence
  }

  /// Publishes an assignment to its department, and waits for the confirm.
  func release(_ assignment: Assignment) async throws {
    let result = try await connection.publish(AssignmentCodec.encode(assignment))
    guard result == .confirmed else { throw Unreadable("the assignment was \(result)") }
  }

  /// Publishes an assignment that the broker will hand out as redelivered.
  func releaseRedelivered(_ assignment: Assignment) async throws {
    try await release(assignment)
    let queue = Topology.Queue.department(assignment.department)
    let consumer = try await connection.consume(queue, options: ConsumeOptions(prefetch: 1))
    let delivery = try await limited("the delivery to give back") { await consumer.nextBatch(atMost: 1)?.first }
    try await connection.cancel(consumer.tag)
    try await connection.nack(try #require(delivery).deliveryTag, requeue: true)
  }

  func probe(_ number: Int, since: Timestamp? = nil, _ worker: WorkerID) async throws {
    try await connection.publish(ControlCodec.encode(probe: number, since: since, to: worker))
  }

  /// `number`: the last one of a probe or a fence when that was decided.
  func answer(_ claim: ClaimRequest, _ verdict: Verdict, number: Int? = nil) async throws {
    try await answer([claim], number: number) { _ in verdict }
  }

  /// Answers claims of one worker in one message.
  func answer(_ claims: [ClaimRequest], number: Int? = nil, _ verdict: (ClaimRequest) -> Verdict) async throws {
    guard let worker = claims.first?.worker else { return }
    heard.withLock { $0.claims.formUnion(claims) }
    let answers = claims.map {
      ClaimAnswer(release: $0.release, claim: $0.number, verdict: verdict($0), number: number)
    }
    try await say(ControlCodec.encode(answers, to: worker))
  }

  func assignment(
    _ kind: JobKind = "staged", payload: String = #"{"word":"one"}"#, attempts: Int = 3, number: Int = 1,
    department: Department = "deposit", priority: Priority = .normal, mustClaim: Bool = false,
    releasedAt: Timestamp? = WorkerPeer.welcomedAt + .seconds(3_600), timeout: Duration? = nil
  ) -> Assignment {
    Assignment(
      release: ReleaseID(job: JobID(), number: number), token: number, ledger: ledger,
      epoch: wanted.withLock(\.epoch), kind: kind, department: department, priority: priority, attempt: 1,
      maxAttempts: attempts, mustClaim: mustClaim, releasedAt: releasedAt, timeout: timeout,
      content: JobContent(payload: Array(payload.utf8), contentType: "application/json"))
  }
}

// What it hears.
extension WorkerPeer {
  /// The next message in the report queue, but for claims and adoptions that it has answered. Claims come one by one,
  /// and so do reports.
  func nextMessage(_ name: String) async throws -> ReportMessage {
    try await limited(name) { [self] in
      while true {
        if let claim = takeClaim() { return .claims([claim]) }
        switch try await readMessage() {
        case .claims(let claims): heard.withLock { $0.rest = claims }
        case .adopt(let adoption) where heard.withLock({ $0.adoptions.contains(adoption.release) }): break
        case let message: return message
        }
      }
    }
  }

  private func takeClaim() -> ClaimRequest? {
    heard.withLock { heard in
      heard.rest.removeAll { heard.claims.contains($0) }
      return heard.rest.isEmpty ? nil : heard.rest.removeFirst()
    }
  }

  /// The claims of the next message that has so many.
  func nextClaims(_ count: Int) async throws -> [ClaimRequest] {
    try await limited("a message with \(count) claims") { [self] in
      while true {
        if case .claims(let claims) = try await readMessage(), claims.count == count { return claims }
      }
    }
  }

  /// The next of what is in the messages of the report queue. Each message is acked when it is read.
  private func readMessage() async throws -> ReportMessage {
    while true {
      let next = heard.withLock { $0.reports.isEmpty ? nil : $0.reports.removeFirst() }
      if let next { return next }
      let delivery = try #require(await reports.nextBatch(atMost: 1)?.first)
      try await connection.ack(delivery.deliveryTag)
      heard.withLock { $0.reports += ReportCodec.decode(delivery) }
    }
  }

  /// The next message in the report queue, which must be a report.
  func nextReport() async throws -> Report {
    let message = try await nextMessage("a report")
    guard case .report(let report) = message else { throw Unreadable("no report: \(message)") }
    return report
  }

  /// The next message in the report queue, which must be a claim.
  func nextClaim() async throws -> ClaimRequest {
    let message = try await nextMessage("a claim")
    guard case .claims(let claims) = message, let claim = claims.first else {
      throw Unreadable("no claim: \(message)")
    }
    return claim
  }

  /// The next message in the report queue, which must tell of a release that was not started.
  func nextDropped() async throws -> UnstartedRelease {
    let message = try await nextMessage("a drop")
    guard case .dropped(let dropped) = message else { throw Unreadable("no drop: \(message)") }
    return dropped
  }

  /// The next message in the report queue, which must give back a release without a handler.
  func nextReturned() async throws -> UnstartedRelease {
    let message = try await nextMessage("a release that is given back")
    guard case .returned(let returned) = message else { throw Unreadable("not given back: \(message)") }
    return returned
  }

  /// The next message in the report queue, which must ask for an adoption.
  func nextAdoption() async throws -> AdoptionRequest {
    let message = try await nextMessage("an adoption")
    guard case .adopt(let adoption) = message else { throw Unreadable("no adoption: \(message)") }
    return adoption
  }

  /// The next presence that is looked for; others are skipped.
  func nextPresence(_ name: String, where isWanted: @escaping @Sendable (Presence) -> Bool) async throws -> Presence {
    let message = try await nextPresenceMessage(name) {
      guard case .presence(let presence) = $0 else { return false }
      return isWanted(presence)
    }
    guard case .presence(let presence) = message else { throw Unreadable("no presence: \(message)") }
    return presence
  }

  /// Waits until the worker has nothing in its hands: every report that came is confirmed to it too, and every ack has
  /// been handed to its connection. A worker that is closed before may keep its acks to itself. Once for each worker.
  func nothingInHand(of worker: WorkerID) async throws {
    try await probe(WorkerPeer.lastProbe, worker)
    _ = try await nextPresence("nothing is in the worker's hands") {
      $0.worker == worker && $0.probe == WorkerPeer.lastProbe && $0.running.isEmpty && $0.waiting.isEmpty
    }
  }

  /// Beyond the numbers that tests use.
  private static let lastProbe = 1_000

  /// The next message in the presence queue that is looked for; others are skipped.
  func nextPresenceMessage(
    _ name: String, where isWanted: @escaping @Sendable (PresenceMessage) -> Bool
  ) async throws -> PresenceMessage {
    try await limited(name) { [connection, presences] in
      while let delivery = await presences.nextBatch(atMost: 1)?.first {
        try await connection.ack(delivery.deliveryTag)
        let message = PresenceCodec.decode(delivery)
        if isWanted(message) { return message }
      }
      throw CancellationError()
    }
  }

  /// How many assignments wait in a department's queue: those that are delivered and not acked are not among them.
  func waiting(in department: Department) async throws -> Int { try await look(at: department).messageCount }

  func consumers(of department: Department) async throws -> Int { try await look(at: department).consumerCount }

  private func look(at department: Department) async throws -> QueueDeclared {
    try await connection.state(of: Topology.Queue.department(department))
  }
}
