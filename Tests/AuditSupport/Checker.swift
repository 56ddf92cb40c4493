package import JobModel

/// Compares what was wanted of a system with what is there afterwards. It looks at nothing but these values.
package struct Checker: Sendable {
  /// How much a process may have at most: a debug build that has taken a flood.
  package static let memoryCap = 400 * 1024 * 1024
  package static let descriptorCap = 64
  /// How long after healing the first new success may come: two leases, and the back-off of everybody who reconnects.
  package static let recoveryCap: Duration = .seconds(60)
  /// How many ids a failure names.
  package static let named = 10

  package let record: Record
  package let findings: Findings
  /// When processes were killed, or kept from the broker for longer than a lease: what they ran may run again.
  package let cutOffs: [CutOff]
  /// When the broker lost its disk.
  package let wipes: [Wipe]
  package let allowances: [Allowance]
  /// How much the clock of the ledger, which is people's, may differ from the one of the traces.
  package let tolerance: Duration
  private let submitted: [JobID: Knowledge]
  private let promised: Set<JobID>
  private let runs: [JobID: [Run]]
  private let effects: EffectRules

  package init(
    record: Record, findings: Findings, cutOffs: [CutOff] = [], wipes: [Wipe] = [], allowances: [Allowance] = [],
    tolerance: Duration = .seconds(1)
  ) {
    self.tolerance = tolerance
    self.record = record
    self.findings = findings
    self.cutOffs = cutOffs + wipes.map { CutOff(pid: nil, from: $0.from, until: $0.until) }
    self.wipes = wipes
    self.allowances = allowances
    submitted = record.submitted
    promised = record.promised(wipes)
    runs = Dictionary(grouping: findings.runs, by: \.job)
    effects = EffectRules(
      ledger: findings.ledger, runs: runs, cutOffs: self.cutOffs, knownToHaveEnded: record.knownToHaveEnded,
      tolerance: tolerance)
  }

  /// What is wrong, by invariant: an empty list holds. What a fault leaves nothing to say about is missing.
  package func check() -> [Invariant: [String]] {
    var violations: [Invariant: [String]] = [:]
    for invariant in Invariant.allCases { violations[invariant] = check(invariant) }
    return violations
  }

  private func check(_ invariant: Invariant) -> [String] {
    switch invariant {
    case .outcome: checkOutcomes()
    case .unknown: checkUnknown()
    case .effects: checkEffects()
    case .attempts: checkAttempts()
    case .waits: checkWaits()
    case .once: checkOnce()
    case .queues: checkQueues()
    case .ledger: checkLedger()
    case .notified: checkNotifications()
    case .caps: checkCaps()
    case .alive: checkProcesses()
    case .secrets: findings.processes.filter { $0.leaks > 0 }.map { "\($0.name): \($0.leaks) lines" }
    case .recovered: checkRecovery()
    }
  }

  // MARK: Jobs

  private func checkOutcomes() -> [String] {
    let open = promised.filter { findings.ledger.jobs[$0].map { !$0.isFinal } ?? false }
    let unwanted = findings.ledger.jobs.filter { job, recorded in
      guard recorded.isFinal, let state = LedgerState.name(of: recorded.state), let wanted = wanted(of: job) else {
        return false
      }
      return !wanted.outcomes.contains(state) && !isInterruptedTooOften(recorded)
    }
    return report("lost", lost) + report("without an outcome", open, detail)
      + report("with an outcome that nobody asked for", unwanted.keys, detail)
      + report("interrupted, although nothing was cut off", innocent, detail)
  }

  /// A duplicate is there if the job is there that has its key.
  private var lost: [JobID] {
    let keys = Set(findings.ledger.jobs.values.compactMap(\.key))
    return promised.filter { job in
      findings.ledger.jobs[job] == nil && !(record.wanted[job]?.key.map(keys.contains) ?? false)
    }
  }

  /// What is wanted of a job; of one that repeats another, what is wanted of that one.
  private func wanted(of job: JobID) -> Wanted? {
    record.wanted[job] ?? findings.ledger.jobs[job]?.againOf.flatMap { record.wanted[$0] }
  }

  /// Whether a job failed because its worker was cut off in too many attempts.
  private func isInterruptedTooOften(_ job: LedgerFindings.Job) -> Bool {
    job.errorCode == "poison" && job.attempts.values.contains("interrupted")
  }

  /// Jobs that were taken for interrupted while everybody was well.
  private var innocent: [JobID] {
    guard cutOffs.isEmpty, !allowances.contains(.damagedLine) else { return [] }
    let interrupted = findings.ledger.jobs.filter { _, job in
      job.deaths > allowances.deathsOfNobody
        || job.attempts.values.contains("interrupted") && !isLostWithMessages(job)
        || job.attempts.values.contains("lost") && !allowances.contains(.lostMessages)
    }
    return Array(interrupted.keys)
  }

  /// Whether the only attempt of a job was granted, and the message is gone: nobody knows whether it had begun.
  private func isLostWithMessages(_ job: LedgerFindings.Job) -> Bool {
    allowances.contains(.lostMessages) && job.errorCode == "lost"
  }

  /// What became of the jobs, for the table.
  package var counts: Counts {
    return Counts(
      submitted: submitted.count, unanswered: submitted.values.count { $0 == .unknown },
      ranAgain: effects.repeatedAfterCutOff.count,
      lost: Set(lost + promised.filter { findings.ledger.jobs[$0].map { !$0.isFinal } ?? false }).count,
      sorts: sorts,
      gone: submitted.filter {
        $0.value == .confirmed && !promised.contains($0.key) && findings.ledger.jobs[$0.key] == nil
      }.count,
      duplicate: Set(findings.announced.filter { $0.value > 1 }.keys)
        .union(findings.ledger.jobs.filter { $0.value.notifications > 1 }.keys).count)
  }

  private var sorts: Counts.Sorts {
    let jobs = findings.ledger.jobs.values
    return Counts.Sorts(
      cancelled: jobs.count { LedgerState.name(of: $0.state) == .cancelled }, duplicates: record.originals.count,
      replays: jobs.count { $0.againOf != nil }, retried: jobs.count { $0.attempts.values.contains("failed") })
  }

  private func checkUnknown() -> [String] {
    let uncertain = submitted.filter { !promised.contains($0.key) }
    let rejected = uncertain.filter { $0.value == .rejected }.keys
    let ghosts = uncertain.keys.filter {
      findings.ledger.jobs[$0] == nil && (runs[$0] != nil || findings.announced[$0] != nil)
    }
    let open = uncertain.keys.filter { findings.ledger.jobs[$0].map { !$0.isFinal } ?? false }
    return report("run or announced, and not in the ledger", ghosts) + report("there without an outcome", open)
      + report("rejected, and there", rejected.filter { findings.ledger.jobs[$0] != nil })
  }

  private func checkEffects() -> [String] {
    let without = findings.ledger.jobs.filter {
      $0.value.state == LedgerState.succeeded && wanted(of: $0.key)?.leavesTraces == true
        && runs[$0.key]?.contains { $0.end == .succeeded } != true
    }
    return report("succeeded without a run that came to its end", without.keys)
      + report("with several effects of runs that nothing cut off", effects.repeated, detail)
      + report("with a run that began after the end", effects.late, detail)
  }

  /// Everything that is known of a job's runs, with times in milliseconds since its submission.
  private func detail(_ job: JobID) -> String {
    let start = record.submittedAt[job] ?? runs[job]?.map(\.began).min() ?? .now
    func time(_ moment: Moment?) -> String { moment.map { "\(Int(($0 - start) / .milliseconds(1)))" } ?? "—" }
    let traces = runs[job, default: []].map { run in
      let cuts = cutOffs.filter { $0.pid == run.pid || $0.pid == nil }.map { "\(time($0.from))–\(time($0.until))" }
      return "attempt \(run.attempt) in \(run.pid) \(time(run.began))–\(time(run.ended)) "
        + "\(run.end?.rawValue ?? "without an end")\(cuts.isEmpty ? "" : ", cut off \(cuts.joined(separator: " "))")"
    }
    let recorded = findings.ledger.jobs[job].map {
      "recorded \($0.state) \($0.errorCode ?? ""), attempt \($0.attempt), deaths \($0.deaths), \(time($0.ended))"
    }
    return "["
      + (traces + [recorded, "told \(time(record.knownToHaveEnded[job]))"].compactMap(\.self))
      .joined(separator: "; ") + "]"
  }

  private func checkWaits() -> [String] {
    let rules = WaitRules(
      wanted: record.wanted, submittedAt: record.submittedAt, runs: runs, ledger: findings.ledger, cutOffs: cutOffs)
    let order = OrderRules(
      ledger: findings.ledger, runs: runs, cutOffs: cutOffs, moved: record.moved, tolerance: tolerance)
    return report("started before their time", rules.early, detail)
      + report("tried again before the back-off had passed", rules.hasty, detail)
      + report("ran beside one of another turn in an ordered department", order.beside, detail)
      + report("ran before one of a lower rank of their plan had ended", order.early, detail)
      + report("started before what they wait for had succeeded", rules.impatient, detail)
  }

  private func checkOnce() -> [String] {
    let jobs = findings.ledger.jobs
    let keys = Dictionary(grouping: jobs.filter { $0.value.key != nil }.keys) { jobs[$0]?.key ?? "" }
    let repeats = Dictionary(grouping: jobs.filter { $0.value.againOf != nil }.keys) { jobs[$0]?.againOf }
    let strayed = record.originals.filter { jobs[$0.key] != nil || jobs[$0.value]?.key != record.wanted[$0.key]?.key }
    return report(
      "with a key that another job has",
      keys.filter { $0.value.count > 1 && !record.keysWhileLive.contains($0.key) }.flatMap(\.value))
      + report("that repeat a job which another one repeats", repeats.values.filter { $0.count > 1 }.flatMap(\.self))
      + report("answered as duplicates, and wrongly", strayed.keys)
      + checkPlans()
  }

  private func checkPlans() -> [String] {
    guard let steps = record.steps else { return [] }
    let plans = PlanRules(ledger: findings.ledger, known: steps)
    return report("are plans that failed for no step that they need", plans.groundless)
      + report("are plans that succeeded without a step that they need", plans.unfounded)
      + report("tried again where their plan was to go back", plans.triedAgain)
      + report("had their plan go back, and wait for somebody to look after them", plans.left)
  }

  private func checkAttempts() -> [String] {
    let overwritten = runs.filter { job, runs in
      guard let recorded = findings.ledger.jobs[job], recorded.isFinal else { return false }
      return runs.contains { $0.attempt > recorded.attempt }
    }
    let sightings = record.sightings
    let takenBack = sightings.filter { _, seen in
      seen.contains { earlier in seen.contains { $0.asked > earlier.answered && earlier.what.contradicts($0.what) } }
    }
    let contradicted = sightings.filter { job, seen in
      guard let recorded = findings.ledger.jobs[job], let state = LedgerState.name(of: recorded.state) else {
        return false
      }
      return seen.contains { $0.what.contradicts(Sighting(state: state, attempt: recorded.attempt)) }
    }
    let unused = findings.ledger.jobs.filter { _, job in
      (1..<max(1, job.attempt)).contains { job.attempts[$0] == nil }
    }
    return report("recorded with an older attempt than ran", overwritten.keys)
      + report("with an attempt that was used up, and no record of it", unused.keys, detail)
      + report("answered otherwise later", takenBack.keys)
      + report("answered otherwise than recorded", contradicted.keys)
  }

  func report(
    _ what: String, _ jobs: some Collection<JobID>, _ detail: (JobID) -> String = { _ in "" }
  ) -> [String] {
    guard !jobs.isEmpty else { return [] }
    let some = jobs.sorted { $0.description < $1.description }.prefix(Checker.named)
      .map { "\($0)\(detail($0))" }.joined(separator: ", ")
    return ["\(jobs.count) jobs \(what): \(some)"]
  }
}

extension Sighting {
  /// Whether this, seen first, and the other, seen later, cannot both be true.
  package func contradicts(_ later: Sighting) -> Bool {
    if state.isFinal, later.state != state { return true }
    guard let attempt, let next = later.attempt else { return false }
    return next < attempt
  }
}

/// The numbers of the states in the ledger; they never change.
package enum LedgerState {
  package static let queued = 1
  package static let succeeded = 2
  package static let failed = 3
  package static let cancelled = 4

  package static func name(of state: Int) -> JobState? {
    switch state {
    case 0: .held
    case 1: .queued
    case 2: .succeeded
    case 3: .failed
    case 4: .cancelled
    default: nil
    }
  }
}

extension LedgerFindings.Job {
  package var isFinal: Bool { state >= LedgerState.succeeded }
}
