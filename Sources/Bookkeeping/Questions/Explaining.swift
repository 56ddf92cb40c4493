import Decisions
package import JobModel
package import Ledger

/// Why a job is where it is: its own row, and what the memory knows of its department and its workers.
extension Bookkeeper {
  /// Nil when there is no such job, no such plan, and no such event.
  package func explain(_ id: JobID) async throws(LedgerError) -> JobExplanation? {
    if let read = try await ledger.read({ try ExplainedJob(id, in: $0) }) {
      return parts.time.clock.shown(try await explanation(of: read).document)
    }
    if let plan = try await ledger.read({ try ExplainedPlan(id, in: $0) }) {
      return parts.time.clock.shown(try await explain(plan))
    }
    return try await explainEvent(id).map(parts.time.clock.shown)
  }

  private func explanation(of read: ExplainedJob) async throws(LedgerError) -> Explanation {
    let (departments, roster) = (parts.departments, parts.roster)
    let job = parts.time.clock.inLedgerTime(read.job)
    takeConfirms()
    let live = parts.releases[job.id]
    let isHeldInOrder = departments[job.department].isOrdered && job.progress.state == .held
    let first = isHeldInOrder ? try await firstInOrder(of: job) : nil
    var explanation = Explanation(
      job: job, live: live, books: departments[job.department], now: parts.time.now,
      isConfigured: configuration.departments[job.department] != nil)
    explanation.refused = parts.brokerQueues.refused.reasons[job.department]
    explanation.dependencies = read.dependencies.map(\.on)
    explanation.unknown = read.unknown
    explanation.unknownUntil =
      parts.time.now + max(.zero, Dependencies.unknownLimit - parts.time.served.served(since: job.acceptedAt))
    explanation.dependencyRule = read.dependencies.first?.rule ?? .fail
    (explanation.lastAttempt, explanation.unused) = (read.lastAttempt, read.unused)
    explanation.tellers = roster.stuckTellers(of: job.department).tellers
    explanation.handlers = roster.handlers.names(for: job.kind, in: job.department)
    explanation.suggestion = roster.handlers.suggestion(for: job.kind, in: job.department)
    if steps.holding.route(of: job.kind, in: job.department) == .kind, !departments[job.department].isOrdered {
      let queue = JobQueue(job.department, kind: job.kind)
      explanation.beside = (places: departments.places(beside: queue), limit: departments.limit(beside: queue))
    }
    let isBeside = live?.place.isBeside ?? (explanation.beside != nil)
    explanation.stuck = stuckTellers(of: job.department, kind: isBeside ? job.kind : nil)
    explanation.ahead = first
    explanation.gates = try await gates(of: job.department)
    explanation.void = parts.releases.void.places.filter { $0.place.department == job.department }.map(\.release.job)
    explanation.quietUntil = parts.epoch.quietUntil
    explanation.operation = operation(about: job)
    if let live {
      explain(live, &explanation)
    } else if job.hold == .suspect {
      explanation.suspectsAhead = parts.lines.ahead(in: job.department, at: parts.time.monotonic)
    }
    return explanation
  }

  /// Also of workers that drain: what hangs there may keep a place.
  private func stuckTellers(of department: Department, kind: JobKind?) -> StuckTellers {
    var stuck = parts.roster.stuckTellers(of: department, kind: kind)
    for worker in parts.roster.workers.values {
      let runs = worker.running.filter { $0.isStuck && parts.releases.department(of: $0.release) == department }
      stuck.jobs += runs.map(\.release.job)
      stuck.places += runs.count { parts.releases.matters($0.release) && parts.releases.counts($0) }
      if !runs.isEmpty, !stuck.workers.contains(where: worker.name.isExactly) { stuck.workers.append(worker.name) }
    }
    stuck.jobs = Set(stuck.jobs).sorted { $0.description < $1.description }
    stuck.workers.sort()
    return stuck
  }

  private func gates(of department: Department) async throws(LedgerError) -> [Explanation.Gate] {
    let (names, plans) = (parts.departments[department].gates, configuration.plans)
    if names.isEmpty { return [] }
    return try await ledger.read { ledger in
      try names.map { name in
        Explanation.Gate(
          name, try ledger.phase(of: name)?.phase ?? .notStarted, isConfigured: plans[name] != nil)
      }
    }
  }

  private func explain(_ live: LiveJob, _ explanation: inout Explanation) {
    let claims = parts.book.claims
    explanation.isClaimedByCoordinator = claims.isClaimedByCoordinator(live.release)
    explanation.isClaimed = claims.isOpen(live.release)
    explanation.awaited = claims.awaited(for: live.release).compactMap { parts.roster.workers[$0]?.name }.sorted()
    explanation.change = parts.releases.void.change(of: live.release)
    explanation.worker = worker(of: live.release)
    explanation.holder = holder(of: live.release)
  }

  /// A plan waits for its first step that has not ended.
  private func explain(_ plan: ExplainedPlan) async throws(LedgerError) -> JobExplanation {
    var document = JobExplanation(
      job: plan.record.id, state: plan.record.outcome?.state ?? .held, kind: "plan",
      department: plan.record.department, reasons: [])
    guard let next = plan.next, plan.record.outcome == nil else {
      document.reasons = [Explanation.endReason(plan.record.outcome, at: plan.record.finishedAt)]
      return document
    }
    let step = try await explanation(of: next).document
    let count = plan.unfinished == 1 ? "one step has not ended" : "\(plan.unfinished) steps have not ended"
    let reason = JobExplanation.Reason(
      hold: .step, text: "\(count); next is step \"\(next.job.step ?? "")\", which is \(step.state.rawValue)",
      since: plan.record.acceptedAt, jobs: [next.job.id])
    document.reasons = [reason] + step.reasons
    return document
  }

  /// The job that an ordered department serves before that one; nil: there is none. Jobs of one rank in one plan run
  /// beside each other.
  private func firstInOrder(of job: Job) async throws(LedgerError) -> JobID? {
    let live = parts.releases.live.values.filter { $0.department == job.department }
    if let other = live.first(where: { $0.order?.group != job.order?.group }) { return other.id }
    if !live.isEmpty { return nil }
    return try await ledger.read { try $0.firstInOrder(of: job.department, outside: job.order?.group) }
  }

  private func worker(of release: ReleaseID) -> (name: String, running: RunningRelease)? {
    for entry in parts.roster.workers.values {
      if let running = entry.running.first(where: { $0.release == release && parts.releases.counts($0) }) {
        return (entry.name, running)
      }
    }
    return nil
  }

  /// The worker that has taken the release ahead.
  private func holder(of release: ReleaseID) -> String? {
    parts.roster.workers.values.first { entry in entry.waiting.contains { $0.release == release } }?.name
  }

  /// The command that is about to cancel the job, or at least keeps its department from releasing what it holds.
  private func operation(about job: Job) -> Explanation.Operation? {
    for operation in parts.operations.list where operation.cancels(job) {
      return Explanation.Operation(id: operation.id, cancelsIt: true, since: operation.startedAt)
    }
    let closures = parts.departments[job.department].closures
    guard let operation = parts.operations.list.first(where: { closures.contains(.clearing($0.id)) }) else {
      return nil
    }
    return Explanation.Operation(id: operation.id, cancelsIt: false, since: operation.startedAt)
  }
}

extension OperationRecord {
  /// Whether the operation is to cancel the job, and has not come to it yet.
  fileprivate func cancels(_ job: Job) -> Bool {
    guard action == .cancel || action == .reset, position < job.number, job.number <= upTo else { return false }
    // Which jobs the rest of its filter means is known when it comes to them.
    guard narrowing.isEmpty else { return false }
    return department ?? job.department == job.department && kind ?? job.kind == job.kind
  }
}

/// What the ledger knows of a job that is to be explained.
private struct ExplainedJob: Sendable {
  var job: Job
  /// The jobs that it waits for, and those of them that nobody has submitted yet.
  var dependencies: [Dependency]
  var unknown: [JobID]
  /// The attempt that ended last, of a job that waits for its time.
  var lastAttempt: AttemptRecord?
  var unused: UnusedAttempts

  init?(_ id: JobID, in queries: LedgerQueries) throws {
    guard let job = try queries.job(id) else { return nil }
    try self.init(job, in: queries)
  }

  init(_ job: Job, in queries: LedgerQueries) throws {
    self.job = job
    dependencies =
      job.openDependencies == 0 ? [] : try queries.dependencies(of: job.number, limit: Dependencies.limit)
    // Not everything that has come is marked at once: of a job with many dependents only some are, of a plan's step
    // none.
    unknown = try dependencies.filter { try !$0.isKnown && queries.hasOutcome($0.on) == nil }.map(\.on)
    lastAttempt = job.notBefore == nil ? nil : try queries.attempts(of: job.id).last
    unused = job.notBefore == nil ? UnusedAttempts() : try queries.unusedAttempts(of: job.number)
  }
}

/// What the ledger knows of a plan that is to be explained.
private struct ExplainedPlan: Sendable {
  var record: PlanRecord
  var unfinished: Int
  var next: ExplainedJob?

  init?(_ id: JobID, in queries: LedgerQueries) throws {
    guard let record = try queries.plan(id) else { return nil }
    self.record = record
    let steps = try queries.unfinishedSteps(of: id)
    unfinished = steps.count
    next = try steps.first.map { try ExplainedJob($0, in: queries) }
  }
}
