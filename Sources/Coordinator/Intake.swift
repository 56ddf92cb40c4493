import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Step 2 of the flow: takes submissions in batches, has them recorded, and only then acks them.
struct Intake {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  /// The most messages that are read at once, and no further one in a transaction that has so many submissions.
  static let batchLimit = 256
  /// No further one once their bodies are this many bytes: what is released of them waits in the outbox all at once.
  static let batchBytes = 2 * 1024 * 1024

  func run() async throws { try await run(on: bookkeeper) }

  /// On the bookkeeper's thread: a batch that went from the connection's thread to another one first would be as much
  /// later as the two take to be woken.
  private func run(on bookkeeper: isolated Bookkeeper) async throws {
    while let deliveries = await consumer.nextBatch(atMost: Intake.batchLimit, bytes: Intake.batchBytes) {
      bookkeeper.board.begin(HealthPart.intake)
      defer { bookkeeper.board.end(HealthPart.intake) }
      var submissions: [Incoming] = []
      // One message at a time: a batch of full packs is tens of megabytes once it is read.
      for delivery in deliveries {
        submissions += await Incoming.content(of: delivery)
        guard submissions.count >= Intake.batchLimit else { continue }
        try await record(submissions, bookkeeper)
        submissions.removeAll(keepingCapacity: true)
      }
      try await record(submissions, bookkeeper)
      FaultPoint.reached("intake.after-record-before-ack")
      try await connections.consuming.ack(contentsOf: deliveries.map(\.deliveryTag))
    }
  }

  private func record(_ submissions: [Incoming], _ bookkeeper: isolated Bookkeeper) async throws {
    if submissions.isEmpty { return }
    await outbox.room()
    FaultPoint.reached("intake.before-record")
    let parked = try bookkeeper.accept(submissions)
    if !parked.isEmpty { try await connections.publishing.park(parked) }
  }
}

/// A submission, read, with its message in case it has to be parked.
struct Incoming: Sendable {
  let content: IncomingSubmission
  let original: Delivery

  /// Everything that a message from the submission queue holds. A plan's body is parsed, which takes its time: it is read
  /// on another thread than the caller's.
  static func content(of delivery: Delivery, isolation: isolated (any Actor)? = #isolation) async -> [Incoming] {
    SubmissionCodec.isPlan(delivery) ? await readElsewhere(delivery) : read(delivery)
  }

  @concurrent
  private static func readElsewhere(_ delivery: Delivery) async -> [Incoming] { read(delivery) }

  private static func read(_ delivery: Delivery) -> [Incoming] {
    guard let pack = SubmissionCodec.open(delivery) else { return [alone(delivery)] }
    guard let (rejection, message) = pack.rejected else { return pack.submissions.map(alone) }
    return pack.submissions.map(alone) + [Incoming(content: .rejected(rejection), original: message)]
  }

  private static func alone(_ delivery: Delivery) -> Incoming {
    Incoming(content: SubmissionCodec.decode(delivery), original: delivery)
  }
}

extension Bookkeeper {
  /// Accepts what can be accepted, in one turn, and answers those who asked. What is returned has to be parked
  /// before its submission is acked.
  func accept(_ batch: [Incoming]) throws(LedgerError) -> [ParkedMessage] {
    let now = self.now
    return try turn { turn in
      var parked: [ParkedMessage] = []
      var passes = Passes(configuration.access)
      for incoming in batch {
        let pass = passes.pass(of: incoming.original.properties.userID)
        do {
          switch incoming.content {
          case .job(let submission): try accept(submission, by: pass, at: now, turn)
          case .plan(let plan): try accept(plan, by: pass, at: now, turn)
          case .rejected(let rejection): throw rejection
          }
        } catch let rejection as Rejection {
          if reject(rejection, incoming, turn) {
            parked.append(ParkedMessage(incoming.original, reason: rejection.failure))
          }
        }
      }
      try fill(turn)
      return parked
    }
  }

  func accept(
    _ submission: Submission, by pass: Pass, at now: Timestamp, _ turn: Turn
  ) throws {
    guard let department = submission.department ?? configuration.department(of: submission.kind),
      configuration.departments[department] != nil
    else { throw unknownDepartment(of: submission) }
    try check(pass, department, submission.id, submission.reply)
    if let first = try holder(of: submission, in: department, at: now, turn) {
      return try repeated(first, submission.reply, by: pass, turn)
    }
    var job = newJob(submission, department, at: now)
    if self[desk: department].isOrdered {
      let plan = submission.rank == nil ? nil : try turn.ledger.openPlanNumber(in: department)
      job.order = OrderPlace(plan: plan, rank: submission.rank ?? 0, position: 0)
    }
    let dependencies = try openDependencies(of: submission, in: department, turn)
    job.dependencies = dependencies.open
    // What was waited for in vain already, or comes too late: it ends below, and must not be released before.
    let isDoomed = dependencies.failed != nil || job.isTooLate(at: now)
    guard try accept(job, reply: submission.reply, by: pass, isHeldBack: isDoomed, turn) else {
      return
    }
    try take(submission.key, of: job, turn)
    guard isDoomed, let accepted = try turn.ledger.job(job.id) else { return }
    let reason = dependencies.failed.map { job, state in
      (submission.after?.rule ?? .fail).event(.dependency(job, state))
    }
    try end(accepted, reason ?? .failed(.tooLate()), turn)
  }

  /// Records a new job, and releases it at once if nothing holds it; not one that is held back, because it ends in the
  /// same turn.
  ///
  /// - Returns: whether it is new.
  @discardableResult
  func accept(
    _ job: NewJob, reply: ReplyAddress? = nil, by pass: Pass = .everything, isHeldBack: Bool = false,
    _ turn: Turn
  ) throws -> Bool {
    var job = job
    job.progress.lastTaken = JobProgress.lastNumber(before: epoch)
    let route = job.hold == .room ? route(of: job.kind, in: job.department) : .department
    let isReady = job.hold == .room && !isHeldBack && !isQuiet && route != .nowhere
    let slot = isReady ? takeAtOnce(job.kind, job.priority, in: job.department, by: route) : nil
    if slot != nil {
      _ = job.progress.apply(.lifted)
      job.releasedAt = job.acceptedAt
    }
    switch try turn.ledger.accept(job) {
    case .new(let number):
      if slot != nil, route == .kind { try makeKindQueue(for: job.kind, in: job.department, turn) }
      try admit(job, number, slot, route, turn)
      if waitedFor.mayContain(job.id) { _ = try turn.ledger.markKnown(job.id) }
      for dependency in Set(job.dependencies.map(\.on)) { waitedFor.add(dependency) }
      answer(reply, job.id, .accepted, turn)
      return true
    case .known(let known):
      if let slot { self[desk: job.department].give(slot, job.priority) }
      try repeated(known, reply, by: pass, turn)
      return false
    }
  }

  /// Takes a recorded job into the memory: released at once if it found a place, else held.
  private func admit(
    _ job: NewJob, _ number: Int64, _ slot: Window.Slot?, _ route: HandlerMap.Route,
    _ turn: Turn
  ) throws {
    // What waits for a moment of the clock is too late after that at the earliest.
    if let startBy = job.startBy, !job.isByClock { expectTooLate(startBy) }
    guard let slot else {
      if let time = job.notBefore { expectDue(job.isByClock ? clock.ledgerTime(of: time) : time) }
      self[desk: job.department].hold(job.hold, job.priority)
      if route == .nowhere || isHeldWithoutPlace(job.kind, in: job.department, by: route) {
        try withhold(number, job.kind, in: job.department, job.priority, turn)
      }
      return
    }
    var entry = LiveJob(job, number, slot)
    if route == .kind {
      entry.isBeside = true
      try turn.ledger.save(entry.progress, of: number, releasedAt: nil, isBeside: true)
    }
    released[job.id] = entry
    let content = JobContent(payload: job.payload, contentType: job.contentType, trace: job.trace)
    turn.tell(.assignment(entry.assignment(of: ledger.id, epoch: epoch, content)))
  }

  private func newJob(_ submission: Submission, _ department: Department, at now: Timestamp) -> NewJob {
    let settings = configuration.settings(of: submission.kind)
    let attempts = submission.maxAttempts ?? settings.attempts ?? Submission.defaultMaxAttempts
    let wait = wait(until: submission.runAt, at: now)
    let readyAt = wait.map { $0.isByClock ? clock.ledgerTime(of: $0.time) : $0.time }
    let startBy = submission.startBy ?? settings.startWithin.map { .within($0) }
    return NewJob(
      id: submission.id, kind: submission.kind, department: department,
      priority: submission.priority, payload: submission.payload, contentType: submission.contentType,
      progress: JobProgress(maxAttempts: attempts), notBefore: wait?.time,
      isByClock: wait?.isByClock ?? false, readyAt: readyAt, dependencyRule: submission.after?.rule ?? .fail,
      startBy: startBy.map { latestStart($0, after: wait, at: now) }, timeout: submission.timeout ?? settings.timeout,
      key: submission.key?.text,
      levelWorth: configuration.priorityWorth, reply: submission.reply, trace: submission.trace,
      submittedAt: submission.submittedAt, acceptedAt: now)
  }

  /// Until when a job is held: a moment of the wall clock, or a span of the ledger's time.
  private typealias Wait = (time: Timestamp, isByClock: Bool)

  private func wait(until time: SubmittedTime?, at now: Timestamp) -> Wait? {
    switch time {
    case .at(let moment): moment > clock.wallTime(of: now) ? (moment, true) : nil
    case .within(let span): span > .zero ? (now + span, false) : nil
    case nil: nil
    }
  }

  /// A limit is a span of the ledger's time from now on, however it was said: nothing comes too late because a clock was
  /// set. Of a job that waits for a moment of the clock, that begins when the moment has come: until then both are the
  /// clock's.
  private func latestStart(_ time: SubmittedTime, after wait: Wait?, at now: Timestamp) -> Timestamp {
    switch time {
    case .at(let moment): wait?.isByClock == true ? moment : clock.ledgerTime(of: moment)
    case .within(let span): (wait?.time ?? now) + span
    }
  }

  /// The same submission came before, or one with the same key: it is answered like the first, and both are told the
  /// outcome.
  private func repeated(
    _ known: Job, _ reply: ReplyAddress?, by pass: Pass, _ turn: Turn
  ) throws {
    // Its id, or its key, is that of a job which may be none of the submitter's business.
    try check(pass, known.department, known.id, reply)
    answer(reply, known.id, .duplicate, turn)
    guard let reply, reply.wait == .outcome else { return }
    if let outcome = known.outcome { return answer(reply, known.id, .outcome(outcome), turn) }
    guard known.reply != reply else { return }
    // The ledger remembers who asked last, since whoever asked first may be gone.
    if let earlier = released[known.id]?.reply ?? known.reply { followers.add(earlier, of: known.id) }
    try turn.ledger.replaceReply(of: known.number, reply)
    released[known.id]?.reply = reply
  }

  /// - Throws: `Rejection` when whoever has sent it may not submit to the department.
  func check(_ pass: Pass, _ department: Department, _ id: JobID, _ reply: ReplyAddress?) throws(Rejection) {
    guard !pass.isUnlimited, let failure = pass.refusal(of: .submit, in: department) else { return }
    throw Rejection(failure, reply: reply, messageID: id.description)
  }

  func answer(
    _ reply: ReplyAddress?, _ job: JobID, _ content: Reply.Content, _ turn: Turn
  ) {
    guard let reply else { return }
    if case .outcome = content, reply.wait == .accepted { return }
    let message = Reply(job: job.description, correlationID: reply.correlationID, content: content)
    turn.tell(.reply(to: reply.replyTo, message))
  }

  /// Answers a rejected submission, and says whether it is to be parked: when nobody is there to be answered, and when
  /// its body was over the cap, so that nobody has read it.
  private func reject(_ rejection: Rejection, _ incoming: Incoming, _ turn: Turn) -> Bool {
    if rejection.failure.code == JobFailure.notAllowedCode {
      noteNotAllowed(rejection.failure)
    } else {
      logRefusal(.submission, rejection.failure.description)
    }
    // It would push out what is parked for people.
    if configuration.access.isBoundHere(incoming.original.properties.userID) { return false }
    guard let reply = rejection.reply else { return true }
    let message = Reply(
      job: rejection.messageID, correlationID: reply.correlationID, content: .rejected(rejection.failure))
    turn.tell(.reply(to: reply.replyTo, message))
    if case .overLimit = incoming.original.body { return true }
    return false
  }

  func unknownDepartment(of submission: Submission) -> Rejection {
    if let department = submission.department {
      return unknownDepartment(department.name, id: submission.id, reply: submission.reply)
    }
    let failure = JobFailure.noDepartment(of: submission.kind, configuration)
    return Rejection(failure, reply: submission.reply, messageID: submission.id.description)
  }

  func unknownDepartment(_ name: String, id: JobID, reply: ReplyAddress?) -> Rejection {
    let failure = JobFailure.unknownDepartment(name, known: configuration.departments.keys)
    return Rejection(failure, reply: reply, messageID: id.description)
  }
}

extension NewJob {
  /// Whether it cannot begin in time any more, or never could.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy else { return false }
    return startBy <= (isByClock ? notBefore ?? now : now)
  }
}
