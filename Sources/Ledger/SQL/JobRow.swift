import JobModel

/// How a job is read from its row.
enum JobRow {
  /// The columns of a job, in the order in which ``job(_:)`` reads them.
  static let columns = columns(result: "result")
  /// The same without what its handler returned, which may be large.
  static let columnsWithoutResult = columns(result: "NULL")
  /// How many there are; what follows them starts here.
  static let width = 40
  /// What a job carries, behind its columns.
  static let contentColumns =
    "content_type, trace_parent, trace_state, ifnull(payload, (SELECT bytes FROM payload WHERE job = job.number))"

  private static func columns(result: String) -> String {
    """
    number, id, kind, department, priority, state, attempt, max_attempts, release, token, \
    order_plan, order_rank, order_position, plan, step, reply_to, reply_correlation, reply_wait, \
    submitted_at, accepted_at, released_at, started_at, finished_at, ran_us, \
    error_code, error_message, result_type, \(result), \
    not_before, open_dependencies, start_by, timeout_ms, key, again_of, settlement, replayed_as, by_clock, standing, \
    withheld, deaths
    """
  }

  static func job(_ cells: Cells) throws -> Job {
    let progress = JobProgress(
      state: try cells.state(5), attempt: try cells.int(6), maxAttempts: try cells.int(7), release: try cells.int(8),
      token: try cells.int(9), deaths: try cells.int(39))
    return Job(
      number: try cells.int64(0), id: try cells.jobID(1), kind: try cells.kind(2),
      department: try cells.department(3), priority: try cells.priority(4), progress: progress,
      order: try order(cells), plan: try cells.optionalJobID(13), step: try cells.optionalString(14),
      notBefore: try cells.optionalTime(28), isByClock: try cells.int(36) == 1, openDependencies: try cells.int(29),
      withheld: try cells.withheld(38),
      startBy: try cells.optionalTime(30),
      timeout: try cells.optionalInt64(31).map { .milliseconds($0) }, key: try cells.optionalString(32),
      againOf: try cells.optionalJobID(33), settlement: try cells.settlement(34), reply: try cells.reply(15),
      submittedAt: try cells.optionalTime(18), acceptedAt: try cells.time(19),
      releasedAt: try cells.optionalTime(20), startedAt: try cells.optionalTime(21),
      finishedAt: try cells.optionalTime(22),
      ran: try cells.optionalInt64(23).map { .microseconds($0) },
      outcome: try outcome(cells, state: progress.state, failure: 24))
  }

  /// Error code and message, the result's type and the result stand from `failure` on, in this order.
  static func outcome(_ cells: Cells, state: JobState, failure column: Int) throws -> Outcome? {
    switch state {
    case .held, .queued, .running: nil
    case .succeeded:
      .succeeded(result: cells.bytes(column + 3), contentType: try cells.optionalString(column + 2))
    case .failed: .failed(try failure(cells, column))
    case .cancelled: .cancelled(try failure(cells, column))
    }
  }

  static func standing(_ cells: Cells) throws -> Standing { Standing(value: try cells.int64(37)) }

  /// Reads ``contentColumns`` from `first` on.
  static func content(_ cells: Cells, first: Int) throws -> JobContent {
    JobContent(
      payload: cells.bytes(first + 3), contentType: try cells.optionalString(first),
      trace: TraceContext(
        traceparent: try cells.optionalString(first + 1), tracestate: try cells.optionalString(first + 2)))
  }

  private static func order(_ cells: Cells) throws -> OrderKey? {
    guard let plan = try cells.optionalInt64(10) else { return nil }
    return OrderKey(plan: plan, rank: try cells.int(11), position: try cells.int(12))
  }

  private static func failure(_ cells: Cells, _ column: Int) throws -> JobFailure {
    guard let failure = try cells.failure(column) else { throw Damage(what: "a job that failed for no reason") }
    return failure
  }
}

/// The four columns of an outcome: error code and message, the result's type, the result.
struct OutcomeCells {
  var code: String?
  var message: String?
  var contentType: String?
  var result: [UInt8]?

  init(_ outcome: Outcome) {
    switch outcome {
    case .succeeded(let bytes, let type):
      result = bytes
      contentType = type
    case .failed(let failure), .cancelled(let failure):
      code = failure.code
      message = failure.message
    }
  }
}
