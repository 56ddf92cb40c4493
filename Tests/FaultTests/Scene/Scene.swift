import AuditSupport
import JobModel

/// What a checker looks at, made up: three jobs that went well, and one submission that nobody answered and that never
/// came. Times are milliseconds since its beginning.
struct Scene {
  static let worker: Int32 = 100
  static let other: Int32 = 200

  let start = Moment.now
  let jobs = [JobID(), JobID(), JobID()]
  let missing = JobID()
  var record = Record()
  var findings = Findings()
  var cutOffs: [CutOff] = []
  var wipes: [Wipe] = []
  var allowances: [Allowance] = []

  init() {
    for job in jobs { addSuccess(job) }
    record.want(Wanted(), of: missing)
    add(.submit, missing, .unknown("no answer"))
    findings.queues = ["teller.submissions.2": 0]
    findings.processes = [ProcessFindings(name: "worker", status: nil, peakMemory: 1 << 20, descriptors: 20)]
    findings.released = ["work": (80, 80)]
    findings.recovery = .seconds(2)
  }

  func time(_ milliseconds: Int) -> Moment { start + Duration.milliseconds(milliseconds) }

  /// A job that was submitted at 0, ran from 100 to 200, and was told to have succeeded at 300.
  mutating func addSuccess(_ job: JobID, _ wanted: Wanted = Wanted()) {
    addAccepted(job, wanted)
    addRun(job, 100...200)
    end(job, .succeeded)
  }

  mutating func addAccepted(_ job: JobID, _ wanted: Wanted = Wanted()) {
    record.want(wanted, of: job)
    add(.submit, job, .ok(nil))
    add(.accept, job, .ok(nil))
  }

  /// A job's outcome: recorded, announced and told.
  mutating func end(_ job: JobID, _ state: JobState, attempt: Int = 1, at end: Int = 200, told: Int = 300) {
    let number = [JobState.succeeded: 2, .failed: 3, .cancelled: 4][state] ?? 9
    var recorded = LedgerFindings.Job(state: number, attempt: attempt, hasEnd: true, notifications: 1)
    recorded.ended = time(end)
    findings.ledger.jobs[job] = recorded
    findings.announced[job] = 1
    let count = findings.ledger.jobs.count
    findings.ledger.sequence = (1, count, count)
    add(.wait, job, .ok(Sighting(state: state, attempt: nil)), at: told)
  }

  mutating func add(_ wish: Operation.Wish, _ job: JobID, _ ending: Operation.Ending?, at milliseconds: Int = 0) {
    let number = record.invoke(wish, job, at: time(milliseconds))
    if let ending { record.end(number, ending, at: time(milliseconds)) }
  }

  mutating func addRun(
    _ job: JobID, _ times: ClosedRange<Int>, attempt: Int = 1, in pid: Int32 = Scene.worker, _ end: Run.End = .succeeded
  ) {
    findings.runs.append(
      Run(
        job: job, attempt: attempt, pid: pid, began: time(times.lowerBound), ended: time(times.upperBound), end: end))
  }

  mutating func cutOff(_ pid: Int32, from: Int, until: Int? = nil) {
    cutOffs.append(CutOff(pid: pid, from: time(from), until: until.map(time)))
  }

  mutating func wipe(_ times: ClosedRange<Int>) {
    wipes.append(Wipe(from: time(times.lowerBound), until: time(times.upperBound)))
  }

  var violations: [Invariant: [String]] {
    Checker(record: record, findings: findings, cutOffs: cutOffs, wipes: wipes, allowances: allowances).check()
  }

  /// The invariants that do not hold.
  var broken: Set<Invariant> { Set(violations.filter { !$0.value.isEmpty }.keys) }
}
