import AMQP
import JobModel
import JobTransport
import Ledger
import Logging

/// Answers what anyone may ask: from the memory, or from the ledger through a reader of its own, so that no question
/// delays the flow.
struct RequestDesk {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let consumer: Consumer
  let outbox: Outbox

  /// The most questions that are being answered at once: one that reads much does not keep the others waiting.
  static let limit = 8

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let delivery = await consumer.nextBatch(atMost: 1)?.first {
        if underWay == RequestDesk.limit {
          try await group.next()
          underWay -= 1
        }
        group.addTask { try await answer(delivery) }
        underWay += 1
      }
      try await group.waitForAll()
    }
  }

  private func answer(_ delivery: Delivery) async throws {
    // Others are answered at the same time: the end of one shows nothing of the others.
    bookkeeper.board.begin(HealthPart.requests, turn: delivery.deliveryTag)
    defer { bookkeeper.board.end(HealthPart.requests, turn: delivery.deliveryTag) }
    switch RequestCodec.decode(delivery) {
    case .asked(let request, let address):
      if let failure = await bookkeeper.refusal(of: .ask, delivery) {
        try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
      } else if let answer = try await answerOrExcuse(request, address) {
        try await connections.publishing.publish(answer)
      }
    case .refused(let failure, let address):
      try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
    case .unanswerable(let reason):
      await bookkeeper.logRefusal(.request, reason)
    }
    try await connections.consuming.ack(delivery.deliveryTag)
  }

  /// A question that the ledger cannot answer is told so; it is no reason to stop the flow.
  private func answerOrExcuse(_ request: Request, _ address: AnswerAddress) async throws -> TransientPublishing? {
    do {
      return try await answer(request, address)
    } catch let error as LedgerError {
      try Task.checkCancellation()
      bookkeeper.logger.error("question not answered", metadata: ["reason": "\(error)"])
      return AnswerCodec.encode(JobFailure(code: "internal", message: "\(error)"), to: address)
    }
  }

  /// Nil: the answer comes later.
  private func answer(_ request: Request, _ address: AnswerAddress) async throws -> TransientPublishing? {
    switch request {
    case .status:
      return AnswerCodec.encode(
        try await bookkeeper.status(broker: session.state, at: SessionClock.now), to: address)
    case .jobs(let query):
      let document = try await bookkeeper.list(query)
      let isNothing = document.jobs.isEmpty && document.next == nil && query.before == nil
      if isNothing, let failure = misspelt(query.department) { return AnswerCodec.encode(failure, to: address) }
      return AnswerCodec.encode(document, to: address)
    case .show(let id):
      guard let job = try await bookkeeper.show(id) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(job, to: address)
    case .wait(let query):
      await outbox.room()
      let failure = try await bookkeeper.wait(query, address, at: SessionClock.now)
      return failure.map { AnswerCodec.encode($0, to: address) }
    case .explain(let id):
      guard let document = try await bookkeeper.explain(id) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(document, to: address)
    case .report(let query):
      let document = try await bookkeeper.report(query)
      if document.lines.isEmpty, let failure = try await unknown(in: query) {
        return AnswerCodec.encode(failure, to: address)
      }
      return AnswerCodec.encode(document, to: address)
    case .operation(let id):
      guard let document = try await bookkeeper.operation(id) else {
        return AnswerCodec.encode(.operationNotFound(id), to: address)
      }
      return AnswerCodec.encode(document, to: address)
    }
  }

  /// Why nothing is found of a department. One that is configured no more may still have jobs: only an empty answer is
  /// doubted.
  private func misspelt(_ department: Department?) -> JobFailure? {
    department.flatMap(bookkeeper.unknownDepartment)
  }

  /// The same of what a report is about.
  private func unknown(in query: ReportQuery) async throws -> JobFailure? {
    if let failure = misspelt(query.department) { return failure }
    guard let plan = query.plan else { return nil }
    return try await bookkeeper.ledger.read { try $0.plan(plan) } == nil ? .planNotFound(plan) : nil
  }
}

extension Bookkeeper {
  func show(_ id: JobID) async throws -> JobDocument? {
    let (isRunning, clock) = (isRunning(id), clock)
    return try await ledger.read { queries -> JobDocument? in
      guard let job = try queries.job(id) else {
        return try queries.plan(id).map { JobDocument(clock.shown(Job(plan: $0))) }
      }
      return JobDocument(
        clock.shown(job), state: job.visibleState(isRunning: isRunning),
        attempts: try queries.attempts(of: id).map(clock.shown))
    }
  }

  func list(_ query: JobsQuery) async throws -> JobsDocument {
    let running = Set(released.values.filter { $0.progress.visibleState == .running }.map(\.id))
    // The ledger does not know `running`: those are taken from its `queued`, one page at a time.
    let jobs = try await ledger.read { queries in
      let states = query.state.map { Set([$0 == .running ? JobState.queued : $0]) }
      return try queries.jobs(
        JobFilter(
          department: query.department, states: states, kind: query.kind, unsettled: query.unsettled,
          before: query.before, limit: query.limit))
    }
    let documents = jobs.map {
      JobDocument(clock.shown($0), state: $0.visibleState(isRunning: running.contains($0.id)), extent: .line)
    }
    let next = jobs.count == query.limit ? jobs.last?.number : nil
    return JobsDocument(jobs: documents.filter { query.state == nil || $0.state == query.state }, next: next)
  }

  /// Remembers who waits; what is over by now, or unknown, is not waited for.
  ///
  /// Remembered first, and then looked up, beside the flow: what ends in between is not missed.
  func wait(_ query: WaitQuery, _ address: AnswerAddress, at now: Duration) async throws -> JobFailure? {
    try checkThatMemoryHolds()
    let wait = Waits.Wait(
      address: address, ids: query.ids, pending: Set(query.ids), deadline: now + query.limit)
    let isPoll = query.limit == .zero
    if isPoll {
      outbox.append([.settled(wait)])
      return nil
    }
    if waits.isFull {
      guard try await pending(of: query.ids).isEmpty else { return .tooManyWaits() }
      outbox.append([.settled(wait)])
      return nil
    }
    let number = waits.begin(wait)
    do {
      let pending = try await pending(of: query.ids)
      outbox.append(waits.settle(number, allBut: pending))
    } catch {
      waits.forget(number)
      throw error
    }
    return nil
  }

  /// Which of these jobs, and plans, are there and have no outcome.
  private func pending(of ids: [JobID]) async throws(LedgerError) -> Set<JobID> {
    try await ledger.read { queries in Set(try ids.filter { try queries.hasOutcome($0) == false }) }
  }

  /// How many jobs are read with their results at once, and how many bytes of results one answer takes; what does not
  /// fit is to be asked for again.
  private static let outcomePage = 16
  private static let resultBytes = 512 * 1024

  /// What the ledger says of the jobs, and plans, that were waited for.
  func document(of wait: Waits.Wait) async throws -> WaitDocument {
    let clock = clock
    return try await ledger.read { queries in
      var document = WaitDocument(finished: [], pending: [])
      var bytes = 0
      for start in stride(from: 0, to: wait.ids.count, by: Bookkeeper.outcomePage) {
        let page = Array(wait.ids[start..<min(start + Bookkeeper.outcomePage, wait.ids.count)])
        let jobs = try queries.outcomes(of: page)
        for id in page {
          guard let job = try jobs[id] ?? queries.plan(id).map(Job.init(plan:)) else {
            document.unknown.append(id)
            continue
          }
          bytes += job.outcome?.resultSize ?? 0
          document.add(clock.shown(job), fits: bytes <= Bookkeeper.resultBytes || document.finished.isEmpty)
        }
      }
      return document
    }
  }

  private func isRunning(_ id: JobID) -> Bool { released[id]?.progress.visibleState == .running }
}

extension WaitDocument {
  fileprivate mutating func add(_ job: Job, fits: Bool) {
    if job.outcome == nil {
      pending.append(job.id)
    } else if fits {
      finished.append(JobDocument(job))
    } else {
      omitted.append(job.id)
    }
  }
}

extension Outcome {
  fileprivate var resultSize: Int {
    guard case .succeeded(let result, _) = self else { return 0 }
    return result.count
  }
}

extension Job {
  /// The ledger knows `queued`; whether a teller has the job is known from presence.
  fileprivate func visibleState(isRunning: Bool) -> JobState {
    progress.state == .queued && isRunning ? .running : progress.state
  }

  /// A plan as `show` and `wait` tell of it: like a job of the kind `plan`.
  fileprivate init(plan: PlanRecord) {
    var progress = JobProgress(maxAttempts: 1)
    progress.state = plan.outcome?.state ?? .held
    self.init(
      number: plan.number, id: plan.id, kind: "plan", department: plan.department, priority: .normal,
      progress: progress, reply: plan.reply, submittedAt: plan.submittedAt, acceptedAt: plan.acceptedAt,
      finishedAt: plan.finishedAt, outcome: plan.outcome)
  }
}

extension JobFailure {
  fileprivate static func tooManyWaits() -> JobFailure {
    JobFailure(code: busyCode, message: "\(Waits.limit) requests are waiting already; ask again later")
  }

  fileprivate static func planNotFound(_ id: JobID) -> JobFailure {
    JobFailure(
      code: "not_found", message: "the ledger has no plan \(id): correct the id; plans that ended long ago are removed")
  }

  fileprivate static func operationNotFound(_ id: Int64) -> JobFailure {
    JobFailure(
      code: "not_found", message: "the ledger has no operation \(id); operations that ended long ago are removed")
  }
}
