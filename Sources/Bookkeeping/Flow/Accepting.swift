import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger

/// Whether a job is new. Indirect: nearly all are, and a job is large.
indirect enum Accepted {
  case new
  /// One of the same id or key came before: that one counts.
  case known(Job)
}

/// Accepts what can be accepted, in one transaction, and answers the submitters. A job that nothing holds is released
/// at once.
struct Accepting {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let releases: Releases
  let audience: Audience
  let dependents: Dependents
  let dueTimes: DueTimes
  let holding: Holding
  let releasing: Releasing
  let ending: Ending
  let resolving: Resolving
  let time: LedgerTime
  let epoch: LedgerEpoch

  /// `isRestored`: its moment has passed, and it is held until an operator accepts it.
  ///
  /// - Throws: `Rejection`, with nothing recorded of the submission.
  @discardableResult
  func accept(
    _ submission: Submission, by pass: Pass, at now: Timestamp, isRestored: Bool = false, _ turn: Turn
  ) throws -> Accepted {
    let named = submission.department ?? configuration.department(of: submission.kind)
    // The user comes first. A message that was refused for its department alone may be put back once there is such a
    // department: then its user must be one who may submit there.
    try pass.requireSubmitting(named, submission.id, submission.reply)
    guard let department = named, configuration.departments[department] != nil else {
      throw configuration.unknownDepartment(of: submission)
    }
    if let first = try original(of: submission, turn) { return try repeated(first, submission, by: pass, turn) }
    let holder = try holder(of: submission, in: department, turn)
    if case .known(let known) = try known(submission, holder, turn) {
      return try repeated(known, submission, by: pass, turn)
    }
    if let other = try turn.ledger.otherOwner(of: submission.id) { throw Rejection(idTakenBy: other, submission) }
    var new = newJob(submission, department, at: now, isRestored: isRestored)
    new.order = try order(of: submission, in: department, turn)
    let dependencies = try resolving.openDependencies(of: submission, in: department, turn)
    new.dependencies = dependencies.open
    // A job that waits in vain, or comes too late, ends below: it must not be released before.
    let doom = doom(of: new, dependencies, submission.after?.rule, at: now)
    var decided = doom.map(DecidedPart.init)
    if case .earlier(let job) = holder { decided = DecidedPart(decided, replaces: job) }
    let accepted = try accept(new, reply: submission.reply, also: decided, isHeldBack: doom != nil, turn)
    if case .known(let known) = accepted { return try repeated(known, submission, by: pass, turn) }
    let job = new.job
    if let key = submission.key {
      try turn.ledger.takeKey(job.kind, key.text, job: job.id, until: key.window.end(acceptedAt: job.acceptedAt))
    }
    if let doom, let job = try turn.ledger.job(job.id) { try ending.endJob(job, doom, turn) }
    return .new
  }

  /// The place of a new job in its department's order; nil: the department has none.
  private func order(of submission: Submission, in department: Department, _ turn: Turn) throws -> OrderPlace? {
    guard departments[department].isOrdered else { return nil }
    let plan = submission.rank == nil ? nil : try turn.ledger.openPlanNumber(in: department)
    return OrderPlace(plan: plan, rank: submission.rank ?? 0, position: 0)
  }

  /// How a job ends that cannot run, from the start; nil: it can run.
  private func doom(
    of new: NewJob, _ dependencies: Resolving.OpenDependencies, _ rule: DependencyRule?, at now: Timestamp
  ) -> JobTransition? {
    if let (job, state) = dependencies.failed { return (rule ?? .fail).transition(.dependency(job, state)) }
    return new.isTooLate(at: now) ? .failed(.tooLate()) : nil
  }

  /// Records a new job, and releases it at once if nothing holds it. A job that is held back ends in the same turn.
  /// `decided`: what its submitter is told beside that.
  ///
  /// - Returns: `known`, with nothing changed, when there is a job of that id.
  @discardableResult
  func accept(
    _ new: NewJob, reply: ReplyAddress? = nil, also decided: DecidedPart? = nil, isHeldBack: Bool = false, _ turn: Turn
  ) throws -> Accepted {
    var new = new
    new.job.progress.lastTaken = epoch.lastTaken
    let job = new.job
    let route = new.hold == .room ? holding.route(of: job.kind, in: job.department) : .department
    let hasHandler = new.hold == .room && !isHeldBack && route != .nowhere
    // Those go first that were held while nobody had a handler. The search finds this one behind them.
    let isBehind =
      hasHandler && !departments[job.department].isOrdered
      && holding.search.isLooking(for: job.kind, in: job.department)
    let place =
      hasHandler && !isBehind ? departments.takeAtOnce(job.kind, job.priority, in: job.department, by: route) : nil
    if place != nil {
      _ = new.job.progress.apply(.lifted)
      new.job.releasedAt = job.acceptedAt
    }
    switch try turn.ledger.accept(new) {
    case .new(let number):
      try admit(new, number, place, route, isBehind: isBehind, turn)
      try dependents.accepted(job.id, turn)
      dependents.add(new.dependencies)
      audience.answer(reply, job.id, .accepted, also: decided, turn)
      return .new
    case .known(let known):
      if let place { departments.give(place) }
      return .known(known)
    }
  }

  /// Takes a recorded job into the memory: released at once if it found a place, else held.
  private func admit(
    _ new: NewJob, _ number: Int64, _ place: WindowPlace?, _ route: HandlerMap.Route, isBehind: Bool, _ turn: Turn
  ) throws {
    let job = new.job
    // A job that waits for a moment of the clock is too late after that moment at the earliest.
    if let startBy = job.startBy, !job.isByClock { dueTimes.expectTooLate(startBy) }
    turn.changed(JobChange(job: job.identity, plan: job.plan, from: nil, to: place == nil ? .held : .queued))
    if let place { return try releasing.release(new, number, place, turn) }
    if job.isRestored {
      departments.countRestored(1, in: job.department)
    } else if let time = job.notBefore {
      dueTimes.expectDue(job.isByClock ? self.time.clock.ledgerTime(of: time) : time)
    }
    departments.hold(new.hold, job.priority, in: job.department)
    let queue = JobQueue(job.department, kind: route == .kind ? job.kind : nil)
    if route == .nowhere || isBehind || departments.isHeldWithoutPlace(in: queue) {
      try holding.holdForHandler(number, job.kind, in: job.department, job.priority, turn)
    }
  }

  /// A submission with the same id or key came before: this one is answered like the first, and both submitters are
  /// told the outcome.
  ///
  /// - Returns: The first one.
  /// - Throws: `Rejection`, when the same id was used with other content.
  private func repeated(_ known: Job, _ submission: Submission, by pass: Pass, _ turn: Turn) throws -> Accepted {
    let reply = submission.reply
    // The first job may be none of this submitter's business.
    try pass.requireSubmitting(known.department, known.id, reply)
    let live = releases[known.id]
    let decided = try Repetition(submission, known, turn.ledger)
      .decided(isRunning: live?.progress.seenRunning == true)
    let earlier = live?.reply ?? known.reply
    guard audience.repeated(known.id, known.outcome, known: earlier, reply, decided, turn) else { return .known(known) }
    try turn.ledger.replaceReply(of: known.number, reply)
    releases[known.id]?.reply = reply
    return .known(known)
  }

  /// The job with the key of a submission that came before, and was a duplicate then: who has the key by now does not
  /// matter. Nil: it is new, as far as is known.
  private func original(of submission: Submission, _ turn: Turn) throws -> Job? {
    guard let key = submission.key, let first = try turn.ledger.original(ofDuplicate: submission.id),
      first.kind == submission.kind, first.key?.isExactly(key.text) == true
    else { return nil }
    return first
  }

  /// Who has the key of a submission.
  private indirect enum KeyHolder {
    /// There is no key, or nobody has had it, or the submission itself has it.
    case nobody
    case taken(Job)
    /// It is free. The ledger still knows who had it.
    case earlier(JobID)
  }

  /// A submission that came before is known by its id. When the row of its job was removed, only the key knows it.
  private func holder(of submission: Submission, in department: Department, _ turn: Turn) throws -> KeyHolder {
    guard let key = submission.key, let record = try turn.ledger.keyHolder(submission.kind, key.text),
      record.job != submission.id || !record.isJobKnown,
      let job = try turn.ledger.job(record.job) ?? Job(record, submission, department)
    else { return .nobody }
    // While nobody knows how long the coordinator was away, no window has passed.
    let isTaken = record.isWhileLive ? record.isLive : record.isTaken(at: time.now) || !time.mayRemove
    if isTaken { return .taken(job) }
    return job.id == submission.id ? .nobody : .earlier(job.id)
  }

  /// The job that a submission is a duplicate of, as far as that has to be known before it is recorded. Its own id comes
  /// first: what it waits for, and who has its key, may have changed since it came.
  private func known(_ submission: Submission, _ holder: KeyHolder, _ turn: Turn) throws -> Accepted {
    if case .taken(let job) = holder { return .known(try turn.ledger.job(submission.id) ?? job) }
    guard submission.after != nil, let job = try turn.ledger.job(submission.id) else { return .new }
    return .known(job)
  }

  /// Gives a key back before its window has passed; the job that has the key goes on. A command that comes again has
  /// the same id, and gets the first answer: whether the key was taken.
  func freeKey(_ kind: JobKind, _ key: String, command: UUID?, _ turn: Turn) throws -> Bool {
    let holder = try turn.ledger.keyHolder(kind, key)
    let wasTaken =
      try command.map {
        let command = JobID(command: $0, about: key, of: kind)
        return try turn.ledger.freeKey(kind, key, command: command.uuid, at: time.now)
      }
      ?? turn.ledger.freeKey(kind, key, at: time.now)
    // A command that comes again may find that another job has the key by now.
    if let holder, holder.isTaken(at: time.now), try turn.ledger.keyHolder(kind, key) == nil {
      try turn.tellFreed(FreedKeyRecord(kind: kind, text: key, job: holder.job), at: time.now)
    }
    return wasTaken
  }
}

extension KeyWindow {
  /// Until when a key is taken, by the ledger's time.
  fileprivate func end(acceptedAt now: Timestamp) -> Timestamp {
    switch self {
    case .lasting(let span): now + span
    case .whileLive: KeyRecord.whileLive
    }
  }
}

// MARK: - New jobs

extension Accepting {
  private func newJob(
    _ submission: Submission, _ department: Department, at now: Timestamp, isRestored: Bool
  ) -> NewJob {
    let settings = configuration.settings(of: submission.kind)
    let attempts = submission.maxAttempts ?? settings.attempts
    let wait = wait(until: submission.runAt, at: now, evenPast: isRestored)
    let readyAt = wait.map { $0.isByClock ? time.clock.ledgerTime(of: $0.time) : $0.time }
    let startBy = submission.startBy ?? settings.startWithin.map { .within($0) }
    let job = Job(
      number: 0, id: submission.id, kind: submission.kind, department: department, priority: submission.priority,
      progress: JobProgress(maxAttempts: attempts), notBefore: wait?.time, isByClock: wait?.isByClock ?? false,
      startBy: startBy.map { latestStart($0, after: wait, at: now) }, timeout: submission.timeout ?? settings.timeout,
      key: submission.key?.text, reply: submission.reply, submittedAt: submission.submittedAt, acceptedAt: now)
    var new = NewJob(job, content: submission.content, readyAt: readyAt, levelWorth: configuration.priorityWorth)
    new.job.isRestored = isRestored
    return new
  }

  /// Until when a job is held: a moment of the wall clock, or a span of the ledger's time.
  private typealias Wait = (time: Timestamp, isByClock: Bool)

  private func wait(until start: SubmittedTime?, at now: Timestamp, evenPast: Bool) -> Wait? {
    switch start {
    case .at(let moment): evenPast || moment > time.clock.wallTime(of: now) ? (moment, true) : nil
    case .within(let span): span > .zero ? (now + span, false) : nil
    case nil: nil
    }
  }

  /// The limit is a span of the ledger's time from now on: no job comes too late because a clock was set. For a job
  /// that waits for a moment of the clock, the span begins at that moment: until then both times are the clock's.
  private func latestStart(_ start: SubmittedTime, after wait: Wait?, at now: Timestamp) -> Timestamp {
    switch start {
    case .at(let moment): wait?.isByClock == true ? moment : time.clock.ledgerTime(of: moment)
    case .within(let span): (wait?.time ?? now) + span
    }
  }
}

extension NewJob {
  /// Why the job is held, if it is.
  fileprivate var hold: Hold { Hold(notBefore: job.notBefore, openDependencies: dependencies.count) }

  /// Whether the job cannot begin in time any more.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy = job.startBy else { return false }
    return startBy <= (job.isByClock ? job.notBefore ?? now : now)
  }
}

extension Job {
  /// A job whose row was removed, and whose key still tells its outcome.
  fileprivate init?(_ record: KeyRecord, _ submission: Submission, _ department: Department) {
    guard let outcome = record.outcome else { return nil }
    var progress = JobProgress(maxAttempts: 1)
    progress.state = outcome.state
    self.init(
      number: 0, id: record.job, kind: submission.kind, department: department,
      priority: submission.priority, progress: progress, acceptedAt: record.until, outcome: outcome)
  }
}

extension DecidedPart {
  /// Of a new job that ends as it is accepted.
  fileprivate init(_ doom: JobTransition) {
    switch doom {
    case .cancelled(let failure): self.init(state: .cancelled, failure: failure)
    case .failed(let failure): self.init(state: .failed, failure: failure)
    default: self.init()
    }
  }

  fileprivate init(_ decided: DecidedPart?, replaces job: JobID) {
    self = decided ?? DecidedPart()
    replaces = job
  }
}
