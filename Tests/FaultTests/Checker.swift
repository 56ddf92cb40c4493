import JobModel

/// Compares what was wanted of a system with what is there afterwards. It looks at nothing but these values.
struct Checker: Sendable {
  /// How much a process may have at most: a debug build that has taken a flood.
  static let memoryCap = 400 * 1024 * 1024
  static let descriptorCap = 64
  /// How long after healing the first new success may come: two leases, and the back-off of everybody who reconnects.
  static let recoveryCap: Duration = .seconds(60)
  /// How many ids a failure names.
  static let named = 10

  let record: Record
  let findings: Findings
  /// The processes that were killed, or kept from the broker for longer than a lease: what they ran may run again.
  let cutOff: Set<Int32>
  let allowances: Set<Allowance>
  private let submitted: [JobID: Knowledge]
  private let runs: [JobID: [Run]]

  init(record: Record, findings: Findings, cutOff: Set<Int32>, allowances: Set<Allowance>) {
    self.record = record
    self.findings = findings
    self.cutOff = cutOff
    self.allowances = allowances
    submitted = record.submitted
    runs = Dictionary(grouping: findings.runs, by: \.job)
  }

  /// What is wrong, by invariant: an empty list holds. What a fault leaves nothing to say about is missing.
  func check() -> [Invariant: [String]] {
    var violations: [Invariant: [String]] = [:]
    for invariant in Invariant.allCases where !isExcused(invariant) { violations[invariant] = check(invariant) }
    return violations
  }

  private func isExcused(_ invariant: Invariant) -> Bool {
    guard allowances.contains(.damagedLine) else { return false }
    // A damaged byte may be any: of an id, of a report, of an ack.
    return invariant == .queues || invariant == .effects
  }

  private func check(_ invariant: Invariant) -> [String] {
    switch invariant {
    case .outcome: checkOutcomes()
    case .unknown: checkUnknown()
    case .effects: checkEffects()
    case .attempts: checkAttempts()
    case .queues: findings.queues.filter { $0.value > 0 }.map { "\($0.key) holds \($0.value) messages" }.sorted()
    case .ledger: checkLedger()
    case .notified: checkNotifications()
    case .caps: checkCaps()
    case .alive: checkProcesses()
    case .secrets: findings.processes.filter { $0.leaks > 0 }.map { "\($0.name): \($0.leaks) lines" }
    case .recovered: checkRecovery()
    }
  }

  // MARK: Jobs

  /// What counts as accepted: what the broker confirmed; once it has lost its disk only what the coordinator answered.
  private var promised: Knowledge { allowances.contains(.brokerDisk) ? .accepted : .confirmed }

  private func checkOutcomes() -> [String] {
    let open = accepted.filter { findings.ledger.jobs[$0].map { !$0.isFinal } ?? false }
    return report("lost", accepted.filter { findings.ledger.jobs[$0] == nil }) + report("without an outcome", open)
  }

  private var accepted: [JobID] { submitted.filter { $0.value >= promised }.map(\.key) }

  /// What became of the jobs, for the table.
  var counts: FaultTable.Counts {
    return FaultTable.Counts(
      submitted: submitted.count, unanswered: submitted.values.count { $0 == .unknown },
      ranAgain: runs.values.count { $0.count > 1 },
      lost: accepted.count { findings.ledger.jobs[$0]?.isFinal != true },
      duplicate: Set(findings.announced.filter { $0.value > 1 }.keys)
        .union(findings.ledger.jobs.filter { $0.value.notifications > 1 }.keys).count)
  }

  private func checkUnknown() -> [String] {
    let uncertain = submitted.filter { $0.value < promised }
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
      $0.value.state == LedgerState.succeeded && isTraced($0.key) && runs[$0.key] == nil
    }
    let twice = runs.filter { _, runs in
      !allowances.contains(.brokerDisk) && runs.count { !cutOff.contains($0.pid) } > 1
    }
    return report("succeeded without an effect", without.keys)
      + report("with several effects of runs that nothing cut off", twice.keys)
  }

  /// Whether a job was one of those that leave traces: all that the history knows.
  private func isTraced(_ job: JobID) -> Bool { submitted[job] != nil }

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
    return report("recorded with an older attempt than ran", overwritten.keys)
      + report("answered otherwise later", takenBack.keys)
      + report("answered otherwise than recorded", contradicted.keys)
  }

  // MARK: Ledger and stream

  private func checkLedger() -> [String] {
    let ledger = findings.ledger
    var wrong = ledger.integrity == ["ok"] ? [] : ledger.integrity
    if ledger.danglingRows > 0 { wrong.append("\(ledger.danglingRows) rows refer to nothing") }
    wrong += report("in no known state", ledger.jobs.filter { LedgerState.name(of: $0.value.state) == nil }.keys)
    wrong += report("final without an end", ledger.jobs.filter { $0.value.isFinal && !$0.value.hasEnd }.keys)
    wrong += report("open with an end", ledger.jobs.filter { !$0.value.isFinal && $0.value.hasEnd }.keys)
    wrong += report(
      "without exactly one notification",
      ledger.jobs.filter { $0.value.notifications != ($0.value.isFinal ? 1 : 0) }.keys)
    let (first, last, count) = ledger.sequence
    if count > 0, last - first + 1 != count || first != 1 {
      wrong.append("\(count) notifications have the numbers \(first)–\(last)")
    }
    return wrong
  }

  private func checkNotifications() -> [String] {
    let ended = findings.ledger.jobs.filter { $0.value.isFinal }.keys
    let silent = ended.filter { findings.announced[$0] == nil }
    let repeated = findings.announced.filter { $0.value > 1 }
    return report("announced several times", repeated.keys)
      + (allowances.contains(.brokerDisk) ? [] : report("ended in silence", silent))
  }

  // MARK: The rest

  private func checkCaps() -> [String] {
    let processes = findings.processes.flatMap { process -> [String] in
      let memory =
        process.peakMemory.map { $0 > Checker.memoryCap ? ["\(process.name) had \($0 >> 20) MiB"] : [] } ?? []
      let open = process.descriptors.map { $0 > Checker.descriptorCap ? ["\(process.name) has \($0) descriptors"] : [] }
      return memory + (open ?? [])
    }
    let windows = findings.released.filter { $0.value.most > $0.value.cap }.map { name, seen in
      "department \(name) had \(seen.most) jobs released, and its window is \(seen.cap)"
    }
    return processes + windows
  }

  /// The signals by which a program ends itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
  private static let crashes: Set<Int32> = [132, 133, 134, 135, 136, 139]

  private func checkProcesses() -> [String] {
    findings.endedByThemselves
      + findings.processes.compactMap { process in
        guard let status = process.status, Checker.crashes.contains(status) else { return nil }
        return "\(process.name) crashed with status \(status)"
      }
  }

  private func checkRecovery() -> [String] {
    guard let recovery = findings.recovery else { return ["no new success came within \(Checker.recoveryCap)"] }
    return recovery > Checker.recoveryCap ? ["the first new success came after \(recovery)"] : []
  }

  private func report(_ what: String, _ jobs: some Collection<JobID>) -> [String] {
    guard !jobs.isEmpty else { return [] }
    let some = jobs.map(\.description).sorted().prefix(Checker.named).joined(separator: ", ")
    return ["\(jobs.count) jobs \(what): \(some)"]
  }
}

extension Sighting {
  /// Whether this, seen first, and the other, seen later, cannot both be true.
  func contradicts(_ later: Sighting) -> Bool {
    if state.isFinal, later.state != state { return true }
    guard let attempt, let next = later.attempt else { return false }
    return next < attempt
  }
}

/// The numbers of the states in the ledger; they never change.
enum LedgerState {
  static let succeeded = 2
  static let failed = 3

  static func name(of state: Int) -> JobState? {
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
  var isFinal: Bool { state >= LedgerState.succeeded }
}
