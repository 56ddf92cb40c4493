import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Step 6 of the flow: takes reports, claims and fences in the order in which they came, has them recorded, and only
/// then acks them.
struct Recorder {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  /// The most messages that are read at once.
  static let batchLimit = 256
  /// No further message in a transaction that has so many reports.
  static let reportLimit = 256
  /// No further one once their bodies are this many bytes: results are told in replies, which wait in the outbox.
  static let batchBytes = 2 * 1024 * 1024
  /// How many other ledgers are logged; nobody has so many.
  static let mostStrangers = 16

  func run() async throws { try await run(on: bookkeeper) }

  /// On the bookkeeper's thread, as the intake is.
  private func run(on bookkeeper: isolated Bookkeeper) async throws {
    while let deliveries = await consumer.nextBatch(atMost: Recorder.batchLimit, bytes: Recorder.batchBytes) {
      var rest = deliveries[...]
      while let portion = Portion(takingFrom: &rest) {
        await outbox.room()
        bookkeeper.board.begin(HealthPart.recorder)
        defer { bookkeeper.board.end(HealthPart.recorder) }
        try await record(portion, bookkeeper)
      }
    }
  }

  private func record(_ portion: Portion, _ bookkeeper: isolated Bookkeeper) async throws {
    let messages = bookkeeper.vetted(portion.messages, from: portion.users)
    try bookkeeper.endIfBehind(messages)
    FaultPoint.reached("recorder.before-record")
    let refusals = try bookkeeper.record(messages)
    FaultPoint.reached("recorder.after-record-before-ack")
    if !refusals.isEmpty { try await connections.publishing.park(portion.parked(refusals)) }
    try await connections.recording.ack(contentsOf: portion.deliveries.map(\.deliveryTag))
  }
}

extension Bookkeeper {
  /// Records a batch in one turn, and answers the claims in it.
  func record(_ batch: [ReportMessage]) throws(LedgerError) -> [Refusal] {
    try turn { turn in
      var refusals: [Refusal] = []
      for (index, message) in batch.enumerated() {
        if let failure = try take(message, turn) {
          if failure.code != JobFailure.notAllowedCode { logRefusal(.report, failure.description, .warning) }
          refusals.append(Refusal(index: index, failure: failure))
        }
      }
      try carryOut(claims.flush(), turn)
      try fill(turn)
      return refusals
    }
  }

  private func take(
    _ message: ReportMessage, _ turn: Turn
  ) throws -> JobFailure? {
    switch message {
    case .report(let report):
      guard report.ledger == ledger.id else { return otherLedger(report.ledger) }
      try record(report, turn)
    // They are asked again.
    case .claims where isQuiet: break
    case .claims(let requests):
      for claim in requests {
        let isCurrent = isOurs(claim.ledger) && isClaimable(claim.release)
        try carryOut(claims.claim(claim, isCurrent: isCurrent), turn)
      }
    case .dropped(let dropped):
      guard isOurs(dropped.ledger) else { return nil }
      try take(dropped, turn)
    case .returned(let returned):
      guard isOurs(returned.ledger) else { return nil }
      try take(returned, turn)
    case .adopt(let request):
      guard isOurs(request.ledger) else { return nil }
      try adopt(request, turn)
    case .fence(let number, let id):
      guard id == ledger.id else { return nil }
      try carryOut(claims.fenceReturned(number), turn)
    case .refused(let failure, let isReport):
      // Only a report has something in it that people may want to see.
      return isReport ? failure : nil
    case .unreadable(let problem):
      return JobFailure(code: "unreadable", message: problem)
    }
    return nil
  }

  /// Workers ask and tell these again and again, and there is nothing in them to keep: what is of another ledger is only
  /// mentioned, unlike its reports.
  private func isOurs(_ other: LedgerID) -> Bool {
    if other == ledger.id { return true }
    if strangers.count < Recorder.mostStrangers, strangers.insert(other).inserted {
      logger.warning(
        """
        workers still have jobs in hand that ledger \(other) released, and this coordinator keeps \(ledger.id): what \
        they ask about them is passed over
        """)
    }
    return false
  }

  private func otherLedger(_ other: LedgerID) -> JobFailure {
    JobFailure(code: "other_ledger", message: "the report is for ledger \(other), this coordinator keeps \(ledger.id)")
  }

  private func record(
    _ report: Report, _ turn: Turn
  ) throws {
    try endVoid(report.release, token: report.token, turn)
    guard var job = released[report.job] else { return try ignore(report, turn) }
    if job.release == report.release, report.token == report.release.number { noteFresh(job) }
    switch job.progress.apply(.reported(token: report.token, report.result)) {
    case .finish(let outcome):
      try finish(job, outcome, Ending(of: report, at: now), turn)
    case .attemptFailed(let number, let failure):
      let ending = Ending(of: report, at: now)
      let attempt = AttemptRecord(
        number: number, worker: report.worker, startedAt: ending.startedAt, endedAt: ending.finishedAt,
        result: "failed", failure: failure)
      try turn.ledger.record(attempt, of: job.number)
      try carryOut(claims.superseded(job.release), turn)
      try retry(job, afterAttempt: number, turn)
    case .ignore, .release, .grant, .hold, .withhold, .show:
      try ignore(report, turn)
    }
  }

  /// Who ran it by a token that does not count has been given up, and may ack the last message of it: whoever has it by
  /// the present token says so, or nobody has it.
  private func ignore(
    _ report: Report, _ turn: Turn
  ) throws {
    ignoredReports += 1
    guard isClaimable(report.release), !isQuiet else { return }
    voids.messageGone(report.release)
    try carryOut(claims.claimForCoordinator(report.release), turn)
  }

  /// Whoever ran a void release has ended, so that its place is free; and what was to be changed of a release that ran
  /// all the same is not changed.
  private func endVoid(
    _ release: ReleaseID, token: Int, _ turn: Turn
  ) throws {
    guard voids.reported(release, token: token) == .forgotten else { return }
    if voidPlaces[release] != nil { return try forget(release, turn) }
    // Whether it has ended, or is tried again, is not known yet.
    dropChange(of: release, because: "a worker has started it", turn)
    if let job = released[release.job] {
      turn.tell(.void(job.department, VoidChange(forgotten: [release])))
    }
  }

  /// Tries again when the back-off has passed; until then the job gives its place to others.
  private func retry(
    _ job: LiveJob, afterAttempt attempt: Int, _ turn: Turn
  ) throws {
    var job = job
    let policy = configuration.settings(of: job.kind).retry
    let delay = policy.delay(afterAttempt: attempt, random: .random(in: 0...1))
    guard delay > .zero || isQuiet || job.progress.isSuspect else {
      _ = job.progress.apply(.lifted)
      return try releaseAgain(job, turn)
    }
    let time = now + delay
    try turn.ledger.hold(job.number, job.progress, notBefore: time)
    try giveUpPlace(of: job, for: .time, turn)
    expectDue(time)
  }

  /// A released job that is recorded as held gives its place to others.
  func giveUpPlace(of job: LiveJob, for hold: Hold, _ turn: Turn) throws {
    // It was released before its department became an ordered one: without a place in the order it would never go.
    if self[desk: job.department].isOrdered, job.order == nil { try turn.ledger.giveOrder(in: job.department) }
    released[job.id] = nil
    self[desk: job.department].give(job.slot, job.priority)
    self[desk: job.department].hold(hold, job.priority)
    unfilled.insert(job.department)
  }

  /// A job runs for so long that its worker acks the message: from now on its lease alone governs the job. Only who has
  /// the current token has the job; who runs a void release acks too, and keeps its place until it reports.
  private func adopt(
    _ request: AdoptionRequest, _ turn: Turn
  ) throws {
    if var job = released[request.release.job], job.release == request.release, job.progress.token == request.token {
      job.adoptedBy = request.worker
      _ = job.progress.apply(.seenRunning(release: job.release.number))
      try turn.ledger.adopt(job.number, by: request.worker)
      released[job.id] = job
      FaultPoint.reached("adoption.before-record")
    } else if voidPlaces[request.release]?.token != request.token {
      return
    }
    turn.tell(.adopted(request.worker, request.release))
  }

  /// Records a job's outcome, gives its place back, and tells everyone who waits for it.
  func finish(
    _ job: LiveJob, _ outcome: Outcome, _ ending: Ending, _ turn: Turn
  ) throws {
    dropChange(of: job.release, turn)
    released[job.id] = nil
    self[desk: job.department].give(job.slot, job.priority)
    unfilled.insert(job.department)
    try carryOut(claims.superseded(job.release), turn)
    try conclude(Concluded(job), outcome, ending, turn)
    if let plan = job.plan { try advance(plan, afterStep: job.id, outcome, turn) }
  }

  /// What every end of a job has in common, whether it was released or still held.
  func conclude(
    _ job: Concluded, _ outcome: Outcome, _ ending: Ending, _ turn: Turn
  ) throws {
    let notification = try turn.ledger.finish(
      job.number, job.progress, outcome, startedAt: ending.startedAt, finishedAt: ending.finishedAt, ran: ending.ran,
      by: ending.worker, of: job.identity)
    queueNotification(notification)
    try forgetDependencies(of: job, turn)
    noteEnd(of: job.id, outcome.state)
    self[desk: job.department].finish(outcome.state)
    tell(job.reply, job.id, outcome, turn)
  }
}

extension Bookkeeper {
  /// Tells the outcome of a job, or of a plan, to everyone who waits for it.
  func tell(_ reply: ReplyAddress?, _ id: JobID, _ outcome: Outcome, _ turn: Turn) {
    answer(reply, id, .outcome(outcome), turn)
    for follower in followers.finished(id) { answer(follower, id, .outcome(outcome), turn) }
    turn.tell(waits.finished(id))
  }
}

/// A job at its end, from the memory or from the ledger.
struct Concluded {
  let number: Int64
  let identity: JobIdentity
  let progress: JobProgress
  let reply: ReplyAddress?
  let openDependencies: Int

  var id: JobID { identity.id }
  var department: Department { identity.department }

  init(_ job: LiveJob) {
    identity = JobIdentity(id: job.id, kind: job.kind, department: job.department)
    (number, progress, reply) = (job.number, job.progress, job.reply)
    openDependencies = 0
  }

  init(_ job: Job) {
    identity = JobIdentity(id: job.id, kind: job.kind, department: job.department)
    (number, progress, reply) = (job.number, job.progress, job.reply)
    openDependencies = job.openDependencies
  }
}

/// When and where a job's last attempt ended, by the coordinator's clock.
struct Ending {
  var startedAt: Timestamp?
  var finishedAt: Timestamp
  var ran: Duration?
  var worker: WorkerID?

  /// The worker said how long ago it began; its clock may differ, so only that is taken from it.
  init(of report: Report, at now: Timestamp) {
    let started = now - report.startedAgo
    startedAt = started
    finishedAt = min(now, started + report.ran)
    ran = report.ran
    worker = report.worker
  }

  /// It ended without a report.
  init(at now: Timestamp) {
    finishedAt = now
  }
}
