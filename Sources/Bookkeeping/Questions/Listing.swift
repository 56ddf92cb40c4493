import Decisions
package import JobModel
import JobTransport
package import Ledger

/// Jobs as people see them: one, or a page of many. The ledger is read beside the flow; whether a queued job runs is
/// known from presence alone.
extension Bookkeeper {
  package func showJob(_ id: JobID) async throws -> JobRecord? {
    let (isRunning, clock) = (parts.releases.live.state(of: id) == .running, parts.time.clock)
    let progress = parts.releases.live.progress(of: id)
    let read = try await ledger.read { queries -> ReadJob? in
      guard let job = try queries.job(id) else { return nil }
      let actions = try queries.actions(about: job, by: clock)
      return (job, try queries.attempts(of: id), try RuleLinks(of: id, queries), actions)
    }
    guard let read else { return try await ledger.read { try $0.anyJob(id) }.map { JobRecord(clock.shown($0)) } }
    var record = JobRecord(
      clock.shown(read.job), state: read.job.visibleState(isRunning: isRunning),
      attempts: read.attempts.map(clock.shown))
    record.hold = parts.departments[read.job.department].firstHold(of: read.job)
    read.rules.write(to: &record)
    if !read.actions.isEmpty { record.actions = read.actions.map(clock.shown) }
    nameWorkers(of: &record)
    guard record.state == .running else { return record }
    (record.progress, record.run) = (progress, presentRun(of: id))
    return record
  }

  private func nameWorkers(of record: inout JobRecord) {
    for index in record.attempts.indices {
      record.attempts[index].workerName = record.attempts[index].worker.flatMap { parts.roster.workers[$0]?.name }
    }
  }

  private func presentRun(of id: JobID) -> PresentRun? {
    parts.releases[id].map { job in
      PresentRun(
        attempt: job.progress.attempt, worker: job.run?.worker,
        workerName: job.run.flatMap { parts.roster.workers[$0.worker]?.name },
        startedAt: job.run.map { parts.time.clock.wallTime(of: $0.since) })
    }
  }

  private typealias ReadJob = (
    job: Job, attempts: [AttemptRecord], rules: RuleLinks, actions: [OperatorAction]
  )

  package func listJobs(_ query: JobQuery) async throws(LedgerError) -> JobPage {
    let running = Set(parts.releases.live.values.filter { $0.progress.visibleState == .running }.map(\.id))
    // The ledger does not know `running`: those are taken from its `queued`, one page at a time.
    let filter = JobFilter(query, by: parts.time.clock)
    let list = try await ledger.read { try $0.jobs(filter) }
    let clock = parts.time.clock
    let documents = list.jobs.map { job in
      var record = JobRecord(
        clock.shown(job), state: job.visibleState(isRunning: running.contains(job.id)), extent: .line)
      record.hold = parts.departments[job.department].firstHold(of: job)
      return record
    }
    return JobPage(jobs: documents.filter { query.state == nil || $0.state == query.state }, next: list.next)
  }

  /// Failed jobs that nobody has looked after, counted by what failed.
  package func countFailures(_ query: FailureQuery) async throws(LedgerError) -> FailureCounts {
    let clock = parts.time.clock
    let filter = JobFilter(
      department: query.department, kind: query.kind, acceptedSince: query.accepted.since.map(clock.ledgerTime),
      acceptedBefore: query.accepted.until.map(clock.ledgerTime), errorCode: query.error, before: query.before)
    let tally = try await ledger.read { try $0.failures(filter) }
    let lines = tally.groups.map { group in
      FailureCounts.Line(
        department: group.id.department, kind: group.id.kind,
        error: JobFailure(code: group.id.code, message: "").shortened(to: 0).code, jobs: group.jobs,
        newestAt: clock.wallTime(of: group.newestAt), example: group.newest)
    }
    return FailureCounts(lines: lines, next: tally.next)
  }

  /// What a job, or an event that waits, carries to its worker; a failure when there is none.
  package func showContent(of id: JobID) async throws(LedgerError) -> Result<JobContent, JobFailure> {
    try await ledger.read { queries in
      if let job = try queries.job(id), let content = try queries.content(of: job.number) { return .success(content) }
      if let event = try queries.event(id), [.kept, .announced].contains(event.state) {
        return .success(event.content)
      }
      return .failure(try queries.plan(id) == nil ? .jobNotFound(id) : .noPayload(plan: id))
    }
  }

  /// How far a command about many jobs has come.
  package func operationDocument(_ id: Int64) async throws(LedgerError) -> JobOperation? {
    try await ledger.read { try $0.operation(id) }.map { JobOperation($0, by: parts.time.clock) }
  }
}

extension JobFilter {
  /// The ledger does not know `running`: it counts as `queued` there.
  fileprivate init(_ query: JobQuery, by clock: LedgerClock) {
    let state = query.error == nil ? query.state : .failed
    self.init(
      department: query.department, states: state.map { [$0] }, kind: query.kind, unsettled: query.onlyUnsettled,
      acceptedSince: query.accepted.since.map(clock.ledgerTime),
      acceptedBefore: query.accepted.until.map(clock.ledgerTime), errorCode: query.error, key: query.key,
      plan: query.plan, id: query.idPart.flatMap(JobIDPart.init), before: query.before, limit: query.limit)
  }
}

extension JobFailure {
  fileprivate static func noPayload(plan id: JobID) -> JobFailure {
    JobFailure(
      code: Code.noPayload, message: "\(id) is a plan, which has no payload: ask for the payload of one of its steps")
  }
}

extension LedgerReading {
  /// What operators did about a job: by its id, or as one of many jobs.
  fileprivate func actions(about job: Job, by clock: LedgerClock) throws -> [OperatorAction] {
    let settling = try settlingAction(of: job) { clock.inLedgerTime($0).passes(job, job.progress.state) }
    let own = try actions(ActionQuery(job: job.id, limit: JobRecord.mostActions))
    return Array(([settling].compactMap { $0 } + own).sorted { $0.number > $1.number }.prefix(JobRecord.mostActions))
  }

  /// A job; or a plan, or an event without a job, as a job.
  func anyJob(_ id: JobID) throws -> Job? {
    if let job = try job(id) { return job }
    return try plan(id).map(Job.init(plan:)) ?? event(id).map(Job.init(event:))
  }
}

extension Job {
  /// The ledger knows `queued`; whether a teller has the job is known from presence.
  func visibleState(isRunning: Bool) -> JobState {
    progress.state == .queued && isRunning ? .running : progress.state
  }

  /// An event without a job, as `show` and `wait` tell of it: like its job.
  fileprivate init(event: EventRecord) {
    var progress = JobProgress(maxAttempts: nil)
    if event.state == .dismissed { progress.state = .cancelled }
    self.init(
      number: 0, id: event.id, kind: event.kind, department: event.department, priority: .normal, progress: progress,
      step: event.name.name, round: 0, reply: event.reply, submittedAt: event.submittedAt,
      acceptedAt: event.receivedAt, finishedAt: event.state == .dismissed ? event.decidedAt : nil,
      outcome: event.state == .dismissed ? .cancelled(.dismissed()) : nil)
  }

  /// A plan as `show` and `wait` tell of it: like a job of the kind `plan`.
  init(plan: PlanRecord) {
    var progress = JobProgress(maxAttempts: 1)
    progress.state = plan.outcome?.state ?? .held
    self.init(
      number: plan.number, id: plan.id, kind: .plan, department: plan.department, priority: .normal,
      progress: progress, reply: plan.reply, submittedAt: plan.submittedAt, acceptedAt: plan.acceptedAt,
      finishedAt: plan.finishedAt, outcome: plan.outcome)
  }
}
