import Decisions
import JobModel
import Ledger

/// Events: kept, acted on, or announced, as ``EventDecision`` decides. Each is known by its id, and has one job at most,
/// which has the same id.
struct PlanEvents {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let releases: Releases
  let audience: Audience
  let dependents: Dependents
  let planJobs: PlanJobs
  let withdrawing: Withdrawing
  let rules: KnownRules

  /// How many events of one plan may wait: for its next run, for their turn, or for somebody to accept them.
  static let waitingLimit = 1_000
  /// How many bytes of payload they may have together before one more is refused: a run begins to act on all of them in
  /// one turn, also on those that another run leaves.
  static let waitingBytes = 16 << 20

  private var receivers: EventReceivers { EventReceivers(configuration: configuration, rules: rules) }

  /// Takes an event that has come.
  ///
  /// - Throws: `Rejection`, with nothing recorded of the event.
  func receive(_ event: EventSubmission, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    if let known = try turn.ledger.event(event.id) {
      try checkThatSame(event, known, by: pass, turn)
      return try repeated(known, event.reply, submittedAt: event.submittedAt, by: pass, turn)
    }
    let receiver = try receivers.receiver(of: event, by: pass, turn)
    try pass.requireSubmitting(receiver.department, event.id, event.reply)
    try checkThatNew(event, turn)
    let decision = decision(about: receiver, isAccepted: false)
    try checkRoom(for: event, of: receiver, turn)
    let record = EventRecord(
      event, plan: receiver.plan, department: receiver.department, kind: receiver.event.kind, state: decision.state,
      receivedAt: now)
    try turn.ledger.add(record)
    if decision == .act {
      try act(on: record, receiver, at: now, turn)
    } else {
      try tell(record, decision.state, at: now, turn)
    }
    if decision != .act { try dependents.accepted(event.id, turn) }
    audience.answer(event.reply, event.id, .accepted, turn)
  }

  /// Somebody accepts or dismisses an event. What was decided before counts.
  ///
  /// - Throws: `Rejection`.
  func choose(_ choice: EventChoice, by pass: Pass, at now: Timestamp, _ turn: Turn) throws {
    guard let event = try turn.ledger.event(choice.event) else {
      try pass.requireSubmitting(nil, choice.event, choice.reply)
      throw Rejection(.unknownEvent(choice.event), reply: choice.reply, messageID: choice.event.description)
    }
    try pass.requireSubmitting(event.department, event.id, choice.reply)
    switch (event.state, choice.action) {
    case (.announced, .accept): try accept(event, choice.reply, at: now, turn)
    case (.announced, .dismiss), (.kept, .dismiss): try dismiss(event, choice.reply, at: now, turn)
    case (.dismissed, .accept):
      throw Rejection(.dismissedBefore(event.id), reply: choice.reply, messageID: event.id.description)
    default: try repeated(event, choice.reply, submittedAt: nil, by: pass, turn)
    }
  }

  /// Begins to act on the events that were kept for a run of their plan, which is accepted in this turn.
  func actOnKept(by plan: PlanSubmission, number: Int64, at now: Timestamp, _ turn: Turn) throws {
    guard let name = plan.definition.name, let run = try turn.ledger.plan(plan.id) else { return }
    // They were begun, and are to be tried again: before the run they would hold it up.
    for job in try turn.ledger.heldEvents(of: name, before: run) { try join(job, run, turn) }
    for event in try turn.ledger.keptEvents(of: name, limit: PlanEvents.waitingLimit) {
      // A plan that has no such event any more keeps it for one that has.
      guard let declared = plan.definition.event(event.name) else { continue }
      let receiver = EventReceiver(plan: name, event: declared, department: plan.department, phase: .running, run: run)
      try act(on: event, receiver, at: now, turn)
    }
  }

  /// The job of an event waits again, and its run has ended: if another run is under way by now, the job would hold it
  /// up, and has its turn in it.
  func joinPresentRun(_ id: JobID, of last: PlanRecord, _ turn: Turn) throws {
    guard let name = last.name, let present = try turn.ledger.phase(of: name), present.phase == .running,
      let run = try present.run.flatMap(turn.ledger.plan), run.number > last.number,
      let job = try turn.ledger.job(id), job.round == 0, job.progress.state == .held, job.department == run.department
    else { return }
    try join(job, run, turn)
  }

  private func join(_ job: Job, _ run: PlanRecord, _ turn: Turn) throws {
    try turn.ledger.move(job.number, to: run)
    withdrawing.regroup(job.id, to: job.order.map { OrderGroup(plan: run.number, rank: $0.rank) })
  }

  /// The run of an event's job has ended. Nobody has acted on the event yet: it is kept for the next run. A job that was
  /// released before goes on: it may have begun.
  func keepAgain(_ job: Job, at now: Timestamp, _ turn: Turn) throws {
    guard job.progress.state == .held, job.progress.release == 0, let event = try turn.ledger.event(job.id) else {
      return
    }
    let payload = try turn.ledger.content(of: job.number)?.payload ?? []
    try turn.ledger.replaceReply(ofEvent: event.id, job.reply)
    try turn.ledger.withdraw(job.number)
    departments.unhold(job.hold, job.priority, in: job.department)
    try turn.ledger.set(event.id, .kept, payload: payload, at: now)
    try tell(event, .kept, at: now, turn)
  }
}

// MARK: - What becomes of an event

extension PlanEvents {
  private func decision(about receiver: EventReceiver, isAccepted: Bool) -> EventDecision {
    let decision = EventDecision(
      receiver.event.whenOpen, in: receiver.phase, isPaused: departments[receiver.department].isPaused,
      isAccepted: isAccepted)
    return receiver.run == nil ? .keep : decision
  }

  /// The event gets its job, as its plan has the event now.
  private func act(on event: EventRecord, _ receiver: EventReceiver, at now: Timestamp, _ turn: Turn) throws {
    guard let run = receiver.run else { return }
    var event = event
    (event.kind, event.department) = (receiver.event.kind, receiver.department)
    guard try planJobs.accept(event, rank: receiver.event.rank, of: run, at: now, turn) else {
      // Somebody has submitted a job with the event's id meanwhile.
      try turn.ledger.set(event.id, .dismissed, payload: nil, at: now)
      try tell(event, .dismissed, at: now, turn)
      dependents.noteEnd(of: event.id, .failed)
      return audience.tellEnd(of: event.id, .failed(.idTaken(byJob: event.id)), to: event.reply, turn)
    }
    try turn.ledger.set(event.id, .acted, payload: nil, at: now)
    try turn.ledger.set(event.id, kind: event.kind, department: event.department)
    try tell(event, .acted, at: now, turn)
  }

  private func accept(_ event: EventRecord, _ reply: ReplyAddress?, at now: Timestamp, _ turn: Turn) throws {
    guard let receiver = try receivers.receiver(of: event.name, in: event.plan, turn) else {
      throw Rejection(.unknownEvent(event.name, []), reply: reply, messageID: event.id.description)
    }
    if try turn.ledger.job(event.id) != nil {
      throw Rejection(.idTaken(byJob: event.id), reply: reply, messageID: event.id.description)
    }
    // Whoever sent it is told the outcome, too.
    var event = event
    if event.reply == nil {
      event.reply = reply?.wait == .outcome ? reply : nil
    } else if let reply {
      audience.earlier.add(reply, of: event.id)
    }
    if decision(about: receiver, isAccepted: true) == .act {
      try act(on: event, receiver, at: now, turn)
    } else {
      try turn.ledger.replaceReply(ofEvent: event.id, event.reply)
      try turn.ledger.set(event.id, .kept, payload: event.content.payload, at: now)
      try tell(event, .kept, at: now, turn)
    }
    audience.answer(reply, event.id, .accepted, turn)
  }

  private func dismiss(_ event: EventRecord, _ reply: ReplyAddress?, at now: Timestamp, _ turn: Turn) throws {
    try turn.ledger.set(event.id, .dismissed, payload: nil, at: now)
    try tell(event, .dismissed, at: now, turn)
    audience.answer(reply, event.id, .accepted, turn)
    dependents.noteEnd(of: event.id, .cancelled)
    audience.tellEnd(of: event.id, .cancelled(.dismissed()), to: event.reply, turn)
  }

  /// The event came before, or was decided about before.
  private func repeated(
    _ event: EventRecord, _ reply: ReplyAddress?, submittedAt: Timestamp?, by pass: Pass, _ turn: Turn
  ) throws {
    try pass.requireSubmitting(event.department, event.id, reply)
    let job = try turn.ledger.job(event.id).flatMap { $0.round == 0 ? $0 : nil }
    let outcome = event.state == .dismissed ? .cancelled(.dismissed()) : job?.outcome
    let known = releases[event.id]?.reply ?? job?.reply ?? event.reply
    let decided = DecidedPart(
      state: outcome?.state ?? job?.progress.state ?? .held, isSameContent: true,
      isAgain: submittedAt != nil && submittedAt == event.submittedAt, failure: outcome?.failure)
    guard audience.repeated(event.id, outcome, known: known, reply, decided, turn) else { return }
    try turn.ledger.replaceReply(ofEvent: event.id, reply)
    if let job { try turn.ledger.replaceReply(of: job.number, reply) }
    releases[event.id]?.reply = reply
  }

  private func tell(_ event: EventRecord, _ state: EventState, at now: Timestamp, _ turn: Turn) throws {
    try turn.notify(
      Notification(
        seq: nil, job: event.id, kind: event.kind, department: event.department, event: PlanNews.word(of: state),
        attempt: 1, at: now, plan: event.plan, name: event.name.name),
      about: .job(event.id))
  }
}

// MARK: - What is refused

extension PlanEvents {
  /// An id that a job or a plan has would never be acted on.
  private func checkThatNew(_ event: EventSubmission, _ turn: Turn) throws {
    guard try turn.ledger.hasOutcome(event.id) != nil else { return }
    let message = "the ledger has a job or a plan of the id \(event.id): send the event with another id"
    throw Rejection(
      JobFailure(code: JobFailure.Code.idTaken, message: message), reply: event.reply, messageID: event.id.description)
  }

  /// - Throws: `Rejection`, when the id was used for another event.
  private func checkThatSame(
    _ event: EventSubmission, _ known: EventRecord, by pass: Pass, _ turn: Turn
  ) throws {
    try pass.requireSubmitting(known.department, event.id, event.reply)
    if event.name != known.name { throw Rejection(idConflict: "event", "that one is \"\(known.name)\"", event) }
    if let plan = event.plan, plan != known.plan {
      throw Rejection(idConflict: "event", "that one is for plan \"\(known.plan)\"", event)
    }
    // A link inside a push may name the event alone.
    if event.content.payload.isEmpty { return }
    // The event's job has the payload, once there is one.
    let job = try turn.ledger.job(event.id).flatMap { $0.round == 0 ? $0 : nil }
    let isWaiting = known.state == .kept || known.state == .announced
    guard
      let content = try job.flatMap({ try turn.ledger.content(of: $0.number) }) ?? (isWaiting ? known.content : nil),
      content.payload != event.content.payload
    else { return }
    throw Rejection(idConflict: "event", "that one has another payload", event)
  }

  private func checkRoom(for event: EventSubmission, of receiver: EventReceiver, _ turn: Turn) throws {
    let held =
      try receiver.run.map { try turn.ledger.roomOfHeldEvents(of: $0, in: receiver.department) } ?? (count: 0, bytes: 0)
    let waiting = try turn.ledger.roomOfWaitingEvents(of: receiver.plan)
    let (count, bytes) = (waiting.count + held.count, waiting.bytes + held.bytes)
    guard count >= PlanEvents.waitingLimit || bytes >= PlanEvents.waitingBytes else { return }
    let message = """
      \(count) events of plan "\(receiver.plan)" wait already, with \(bytes >> 10) KiB, and it takes no further one: \
      start the plan, or accept or dismiss some (`teller event list --plan \(receiver.plan)`)
      """
    throw Rejection(
      JobFailure(code: JobFailure.Code.tooManyEvents, message: message), reply: event.reply,
      messageID: event.id.description)
  }
}

extension EventDecision {
  fileprivate var state: EventState {
    switch self {
    case .keep: .kept
    case .act: .acted
    case .announce: .announced
    }
  }
}
