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

  func run() async throws {
    while let delivery = await consumer.nextBatch(atMost: 1)?.first {
      switch RequestCodec.decode(delivery) {
      case .asked(let request, let address):
        if let answer = try await answer(request, address) { try await connections.publishing.publish(answer) }
      case .refused(let failure, let address):
        try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
      case .unanswerable(let reason):
        bookkeeper.logger.notice("request not answered", metadata: ["reason": "\(reason)"])
      }
      try await connections.consuming.ack(delivery.deliveryTag)
    }
  }

  /// Nil: the answer comes later.
  private func answer(_ request: Request, _ address: AnswerAddress) async throws -> TransientPublishing? {
    switch request {
    case .status:
      return AnswerCodec.encode(await bookkeeper.status(broker: session.state, at: SessionClock.now), to: address)
    case .jobs(let query):
      return AnswerCodec.encode(try await bookkeeper.list(query), to: address)
    case .show(let id):
      guard let job = try await bookkeeper.show(id) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(job, to: address)
    case .wait(let query):
      let failure = try await bookkeeper.wait(query, address, at: SessionClock.now)
      return failure.map { AnswerCodec.encode($0, to: address) }
    }
  }
}

extension Bookkeeper {
  func show(_ id: JobID) async throws -> JobDocument? {
    let isRunning = isRunning(id)
    return try await ledger.read { queries -> JobDocument? in
      guard let job = try queries.job(id) else {
        return try queries.plan(id).map { JobDocument(Job(plan: $0)) }
      }
      return JobDocument(job, state: job.visibleState(isRunning: isRunning), attempts: try queries.attempts(of: id))
    }
  }

  func list(_ query: JobsQuery) async throws -> JobsDocument {
    let running = Set(released.values.filter { $0.progress.visibleState == .running }.map(\.id))
    // The ledger does not know `running`: those are taken from its `queued`, one page at a time.
    let jobs = try await ledger.read { queries in
      let states = query.state.map { Set([$0 == .running ? JobState.queued : $0]) }
      return try queries.jobs(
        JobFilter(
          department: query.department, states: states, kind: query.kind, before: query.before, limit: query.limit))
    }
    let documents = jobs.map {
      JobDocument($0, state: $0.visibleState(isRunning: running.contains($0.id)), extent: .line)
    }
    let next = jobs.count == query.limit ? jobs.last?.number : nil
    return JobsDocument(jobs: documents.filter { query.state == nil || $0.state == query.state }, next: next)
  }

  /// Remembers who waits; what is over by now, or unknown, is not waited for.
  func wait(_ query: WaitQuery, _ address: AnswerAddress, at now: Duration) throws -> JobFailure? {
    guard !waits.isFull else {
      return JobFailure(code: "busy", message: "\(Waits.limit) requests are waiting already; ask again later")
    }
    let pending = try ledger.write { transaction in
      try query.ids.filter { id in
        if let job = try transaction.job(id) { return job.outcome == nil }
        return try transaction.plan(id).map { $0.outcome == nil } ?? false
      }
    }
    let wait = Waits.Wait(address: address, ids: query.ids, pending: Set(pending), deadline: now + query.limit)
    outbox.append(waits.add(wait))
    return nil
  }

  /// What the ledger says of the jobs, and plans, that were waited for.
  func document(of wait: Waits.Wait) async throws -> WaitDocument {
    try await ledger.read { queries in
      var document = WaitDocument(finished: [], pending: [])
      let jobs = try queries.outcomes(of: wait.ids)
      for id in wait.ids {
        guard let job = try jobs[id] ?? queries.plan(id).map(Job.init(plan:)) else {
          document.unknown.append(id)
          continue
        }
        if job.outcome == nil { document.pending.append(id) } else { document.finished.append(JobDocument(job)) }
      }
      return document
    }
  }

  private func isRunning(_ id: JobID) -> Bool { released[id]?.progress.visibleState == .running }
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
