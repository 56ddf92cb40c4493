package import JobModel

/// An event as the ledger keeps it.
package struct EventRecord: Hashable, Sendable {
  /// Grows by one with each event; nil: it is not recorded yet.
  package var number: Int64?
  package var id: JobID
  package var name: EventName
  package var plan: PlanName
  /// Of the job that acts on it.
  package var department: Department
  package var kind: JobKind
  package var state: EventState
  /// Without the payload, once the event's job has it.
  package var content: JobContent
  package var reply: ReplyAddress?
  /// By the sender's clock.
  package var submittedAt: Timestamp?
  package var receivedAt: Timestamp
  /// When it got its present state, unless it came in it.
  package var decidedAt: Timestamp?

  package init(
    _ event: EventSubmission, plan: PlanName, department: Department, kind: JobKind, state: EventState,
    receivedAt: Timestamp
  ) {
    (id, name, self.plan) = (event.id, event.name, plan)
    (self.department, self.kind, self.state) = (department, kind, state)
    (content, reply, submittedAt) = (event.content, event.reply, event.submittedAt)
    self.receivedAt = receivedAt
  }

  fileprivate init(_ row: Cells) throws {
    (id, name, plan) = (try row[0], try row[1], try row[2])
    (department, kind, state) = (try row[3], try row[4], try row[5])
    content = JobContent(
      payload: try row[6] ?? [], contentType: "application/json",
      trace: TraceContext(traceparent: try row[7], tracestate: try row[8]), headers: HeadersText.headers(try row[9]))
    reply = ReplyAddress(try row[10], try row[11], try row[12])
    (submittedAt, receivedAt, decidedAt, number) = (try row[13], try row[14], try row[15], try row[16])
  }

  package var status: EventStatus {
    EventStatus(
      id: id, number: number, name: name, plan: plan, state: state, department: department, kind: kind,
      receivedAt: receivedAt, decidedAt: decidedAt)
  }

  fileprivate static let columns = """
    id, name, plan, department, kind, state, payload, trace_parent, trace_state, headers, reply_to, reply_correlation,
    reply_wait, submitted_at, received_at, decided_at, number
    """
}

extension LedgerTransaction {
  /// Records an event. Its id must be new.
  package func add(_ event: EventRecord) throws {
    noteOtherOwner()
    try statements.run(
      """
      INSERT INTO event (id, name, plan, department, kind, state, payload, trace_parent, trace_state, headers, reply_to,
        reply_correlation, reply_wait, submitted_at, received_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      event.id, event.name, event.plan, event.department, event.kind, event.state, event.content.payload,
      event.content.trace.traceparent, event.content.trace.tracestate, HeadersText.text(event.content.headers),
      event.reply?.replyTo, event.reply?.correlationID, event.reply?.wait, event.submittedAt, event.receivedAt)
  }

  /// Records what has become of an event. `payload`: what the event's job does not have (any more); nil: the job has it.
  /// An event that came in that state keeps having no time of a decision.
  package func set(_ id: JobID, _ state: EventState, payload: [UInt8]?, at time: Timestamp) throws {
    let changed = try statements.run(
      """
      UPDATE event SET state = ?1, payload = ?2, decided_at = iif(state = ?1, decided_at, ?3) WHERE id = ?4
      """, state, payload, time, id)
    guard changed == 1 else { throw LedgerError.failed("event \(id) is not in the ledger") }
  }

  /// Its plan has the event in another way than when it came.
  package func set(_ id: JobID, kind: JobKind, department: Department) throws {
    try statements.run(
      "UPDATE event SET kind = ?1, department = ?2 WHERE id = ?3 AND (kind <> ?1 OR department <> ?2)", kind,
      department, id)
  }

  /// How many events of a plan wait for its next run, or for somebody to accept them, and the bytes of their payloads.
  package func roomOfWaitingEvents(of plan: PlanName) throws -> (count: Int, bytes: Int) {
    try statements.first(
      """
      SELECT count(*), ifnull(sum(length(payload)), 0) FROM event INDEXED BY event_plan
      WHERE plan = ? AND state IN ('kept', 'announced')
      """, plan
    ) { (try $0[0], try $0[1]) } ?? (0, 0)
  }

  /// The outcome of the event's job is told there from now on; nil: nowhere.
  package func replaceReply(ofEvent id: JobID, _ reply: ReplyAddress?) throws {
    try statements.run(
      "UPDATE event SET reply_to = ?, reply_correlation = ?, reply_wait = ? WHERE id = ?",
      reply?.replyTo, reply?.correlationID, reply?.wait, id)
  }

  /// The events that are kept for a plan's next run, in the order in which they came.
  package func keptEvents(of plan: PlanName, limit: Int) throws -> [EventRecord] {
    try statements.all(
      """
      SELECT \(EventRecord.columns) FROM event INDEXED BY event_plan
      WHERE plan = ? AND state = 'kept' ORDER BY number LIMIT ?
      """, plan, limit, decode: EventRecord.init)
  }

  /// Removes events that were acted on or dismissed before `time`, and that no job is left of.
  func removeEvents(decidedBefore time: Timestamp, limit: Int) throws {
    let removed = try statements.all(
      """
      DELETE FROM event WHERE number IN (
        SELECT number FROM event INDEXED BY event_decided
        WHERE state IN ('acted', 'dismissed') AND ifnull(decided_at, received_at) < ?
          AND NOT EXISTS (SELECT 1 FROM job WHERE job.id = event.id)
        ORDER BY ifnull(decided_at, received_at), number LIMIT ?)
      RETURNING id, state = 'dismissed'
      """, time, limit
    ) { (id: try $0[0] as JobID, isDismissed: try $0[1] as Bool) }
    // The end of any other is that of its job.
    try noteRemoved(removed.filter(\.isDismissed).map { (id: $0.id, state: JobState.cancelled) })
  }
}

extension LedgerReading {
  /// How many events of a plan wait for its next run, or for somebody to accept them.
  package func waitingEvents(of plan: PlanName) throws -> Int {
    try statements.first(
      """
      SELECT count(*) FROM event INDEXED BY event_plan WHERE plan = ? AND state IN ('kept', 'announced')
      """, plan) ?? 0
  }

  /// The event of that id; nil: there is none.
  package func event(_ id: JobID) throws -> EventRecord? {
    try statements.first("SELECT \(EventRecord.columns) FROM event WHERE id = ?", id, decode: EventRecord.init)
  }

  /// Events, the newest first, from below a number on.
  package func events(
    of plan: PlanName?, state: EventState?, before number: Int64?, limit: Int
  ) throws -> [EventStatus] {
    let before = number ?? .max
    let numbers: [Int64] =
      if let plan {
        try (state.map { [$0] } ?? EventLists.states).flatMap { state in
          try statements.all(EventLists.ofPlan, plan, state, before, limit) as [Int64]
        }
      } else if let state {
        try statements.all(EventLists.ofState, state, before, limit)
      } else {
        try statements.all(EventLists.newest, before, limit)
      }
    return try numbers.sorted(by: >).prefix(limit).compactMap { number in
      try statements.first(EventLists.event, number) { try EventRecord($0).status }
    }
  }
}

/// The statements that list events, each through one index.
enum EventLists {
  /// Every state that an event of the ledger may be in.
  fileprivate static let states: [EventState] = [.kept, .acted, .announced, .dismissed]
  static let ofPlan = """
    SELECT number FROM event INDEXED BY event_plan WHERE plan = ? AND state = ? AND number < ?
    ORDER BY number DESC LIMIT ?
    """
  static let ofState = """
    SELECT number FROM event INDEXED BY event_state WHERE state = ? AND number < ? ORDER BY number DESC LIMIT ?
    """
  static let newest = "SELECT number FROM event WHERE number < ? ORDER BY number DESC LIMIT ?"
  fileprivate static let event =
    "SELECT \(EventRecord.columns.replacing("payload", with: "NULL")) FROM event WHERE number = ?"
}
