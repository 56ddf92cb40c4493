import JobModel

/// How a job is read from its row.
enum JobRow {
  /// A job.
  static let columns = JobColumn.selection(upTo: .deaths)
  /// A job without what its handler returned, which may be large.
  static let columnsWithoutResult = JobColumn.selection(upTo: .deaths, without: [.result])
  /// A job, and what it carries.
  static let columnsWithContent = JobColumn.selection(upTo: .payload)
  /// Only what it carries.
  static let contentColumns = JobColumn.selection(from: .contentType, upTo: .payload)
  /// A job, and its release.
  static let columnsWithRelease = JobColumn.selection(
    upTo: .grantedNumber, without: [.contentType, .traceParent, .traceState, .headers, .payload])
  /// The number of the column behind ``columns``.
  static let next = JobColumn.deaths.rawValue + 1

  static func job(_ row: Cells) throws -> Job {
    let progress = JobProgress(
      state: try row[.state], attempt: try row[.attempt],
      maxAttempts: saidAttempts(try row[.maxAttempts]),
      release: try row[.release], token: try row[.token], deaths: try row[.deaths])
    let times: Int = try row[.byClock]
    var job = Job(
      number: try row[.number], id: try row[.id], kind: try row[.kind], department: try row[.department],
      priority: try row[.priority], progress: progress, order: try order(row), plan: try row[.plan],
      step: try row[.step], round: try row[.round], notBefore: try row[.notBefore],
      isByClock: times & TimeCode.byClock != 0,
      openDependencies: try row[.openDependencies], withheld: try withheld(row), startBy: try row[.startBy],
      timeout: (try row[.timeoutMs] as Int64?).map { .milliseconds($0) }, key: try row[.key],
      againOf: try row[.againOf], settlement: try settlement(row),
      reply: ReplyAddress(try row[.replyTo], try row[.replyCorrelation], try row[.replyWait]),
      submittedAt: try row[.submittedAt], acceptedAt: try row[.acceptedAt], releasedAt: try row[.releasedAt],
      startedAt: try row[.startedAt], finishedAt: try row[.finishedAt],
      ran: (try row[.ranUs] as Int64?).map { .microseconds($0) }, outcome: try outcome(row, progress.state))
    job.isRestored = times & TimeCode.restored != 0
    return job
  }

  /// Of ``columnsWithContent``.
  static func held(_ row: Cells) throws -> HeldJob {
    HeldJob(job: try job(row), content: try content(row), standing: try row[.standing])
  }

  static func content(_ row: Cells) throws -> JobContent {
    JobContent(
      payload: try row[.payload] ?? [], contentType: try row[.contentType],
      trace: TraceContext(traceparent: try row[.traceParent], tracestate: try row[.traceState]),
      headers: HeadersText.headers(try row[.headers]))
  }

  /// Of ``columnsWithRelease``.
  static func released(_ row: Cells) throws -> ReleasedJob {
    ReleasedJob(
      job: try job(row), isConfirmed: try row[.confirmed], adoptedBy: try row[.adoptedBy],
      standing: try row[.standing], isBeside: try row[.beside], grant: try grant(row))
  }

  private static func outcome(_ row: Cells, _ state: JobState) throws -> Outcome? {
    guard state.isFinal else { return nil }
    return try OutcomeCells(
      code: row[.errorCode], message: row[.errorMessage], contentType: row[.resultType], result: row[.result]
    ).outcome(state)
  }

  /// 0: nobody has said how many attempts the job has.
  private static func saidAttempts(_ number: Int) -> Int? { number == 0 ? nil : number }

  private static func order(_ row: Cells) throws -> OrderKey? {
    guard let plan = try row[.orderPlan] as Int64? else { return nil }
    return OrderKey(plan: plan, rank: try row[.orderRank], position: try row[.orderPosition])
  }

  private static func withheld(_ row: Cells) throws -> Withheld? {
    let code: Int = try row[.withheld]
    guard code != 0 else { return nil }
    return try known(Withheld(rawValue: code), "withheld \(code)")
  }

  /// What became of a failed job. Nil: nobody has looked after it.
  private static func settlement(_ row: Cells) throws -> Settlement? {
    switch (try row[.settlement] as Int?, try row[.replayedAs] as JobID?) {
    case (nil, _): return nil
    case (SettlementCode.replayed, let replay?): return .replayed(replay)
    case (SettlementCode.dropped, nil): return .dropped
    case (SettlementCode.handled, nil): return .handled
    case (let code?, _): throw Damage(what: "settlement \(code)")
    }
  }

  private static func grant(_ row: Cells) throws -> GrantRecord? {
    guard let worker = try row[.grantedTo] as WorkerID? else { return nil }
    return GrantRecord(worker: worker, at: try row[.grantedAt], number: try row[.grantedNumber])
  }
}

/// The four columns of an outcome. Jobs, plans and keys have them.
struct OutcomeCells {
  var code: String?
  var message: String?
  var contentType: String?
  var result: [UInt8]?
}

extension OutcomeCells {
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

  /// The outcome of a job or a plan in that state; nil when it has not ended.
  func outcome(_ state: JobState) throws -> Outcome? {
    switch state {
    case .held, .queued, .running: return nil
    case .succeeded: return .succeeded(result: result ?? [], contentType: contentType)
    case .failed, .cancelled:
      let failure = try known(JobFailure(code: code, message: message), "a job that failed for no reason")
      return state == .failed ? .failed(failure) : .cancelled(failure)
    }
  }
}

extension JobFailure {
  /// Nil without a code.
  init?(code: String?, message: String?) {
    guard let code else { return nil }
    self.init(code: code, message: message ?? "")
  }
}

extension ReplyAddress {
  /// Nil without a queue.
  init?(_ queue: String?, _ correlationID: String?, _ wait: Wait?) {
    guard let queue else { return nil }
    self.init(replyTo: queue, correlationID: correlationID, wait: wait ?? .accepted)
  }
}
