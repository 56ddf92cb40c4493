import Decisions
import JobModel
import Ledger

/// The rows of a board: the jobs that wait and those that run, of some departments.
struct BoardRows {
  private(set) var waiting: [Department: [WaitingRow]] = [:]
  private(set) var running: [Department: [RunningRow]] = [:]

  /// `next`: the held jobs that come next, as the ledger had them a moment ago. This looks at every released job.
  init(
    _ parts: Parts, departments: Set<Department>, next: [Department: [NextJob]], ageing: Ageing, limit: Int
  ) {
    guard !departments.isEmpty else { return }
    let live = parts.releases.live
    var released: [Department: (waiting: [LiveJob], running: [LiveJob])] = [:]
    for job in live.values where departments.contains(job.department) {
      if job.progress.visibleState == .running {
        released[job.department, default: ([], [])].running.append(job)
      } else {
        released[job.department, default: ([], [])].waiting.append(job)
      }
    }
    let (clock, worth) = (parts.time.clock, ageing.worth)
    for department in departments {
      let (jobs, books) = (released[department] ?? ([], []), parts.departments[department])
      // A job that was held a moment ago may be released now.
      let held = (next[department] ?? []).filter { live[$0.job.id] == nil }
      let queued = jobs.waiting.sorted(by: LiveJob.isServedFirst).prefix(limit)
      waiting[department] = BoardRows.inOrder(
        queued.map { (WaitingRow($0, books, worth, clock), $0.releasePriority.level) },
        held.map { (WaitingRow($0, books, worth, clock), $0.level(by: ageing, at: parts.time.now)) },
        isOrdered: books.isOrdered, limit: limit)
      running[department] = jobs.running.sorted(by: LiveJob.beganFirst).prefix(limit).map {
        RunningRow($0, parts.roster, live.progress(of: $0.id), clock)
      }
    }
  }

  private typealias Placed = (row: WaitingRow, level: Int)

  /// An urgent job that is held overtakes less urgent ones in the queue, once it is there. In an ordered department none
  /// overtakes.
  private static func inOrder(_ queued: [Placed], _ held: [Placed], isOrdered: Bool, limit: Int) -> [WaitingRow] {
    let all = (queued + held).enumerated()
    let sorted =
      isOrdered
      ? Array(all)
      : all.sorted {
        ($1.element.level, $0.offset) < ($0.element.level, $1.offset)
      }
    return sorted.prefix(limit).map(\.element.row)
  }
}

extension NextJob {
  /// The level at which the job is released now; below all levels: no teller takes the job in its turn.
  fileprivate func level(by ageing: Ageing, at now: Timestamp) -> Int {
    guard job.hold == .room else { return -1 }
    return ageing.releasePriority(job.priority, standing, at: now).level
  }
}

extension LiveJob {
  /// The order of an ordered department; else that of the queue, where a higher priority goes first, and then the message
  /// that came first.
  fileprivate static func isServedFirst(_ one: LiveJob, _ other: LiveJob) -> Bool {
    if let (first, second) = one.order.flatMap({ first in other.order.map { (first, $0) } }), first != second {
      return first < second
    }
    if one.releasePriority != other.releasePriority { return one.releasePriority.level > other.releasePriority.level }
    return (one.since, one.number) < (other.since, other.number)
  }

  fileprivate static func beganFirst(_ one: LiveJob, _ other: LiveJob) -> Bool {
    (one.run?.since.milliseconds ?? 0, one.number) < (other.run?.since.milliseconds ?? 0, other.number)
  }
}

extension WaitingRow {
  fileprivate init(_ job: LiveJob, _ books: DepartmentBooks, _ worth: Duration, _ clock: LedgerClock) {
    let since = WaitingJob(acceptedAt: job.acceptedAt, standing: job.standing, priority: job.priority)
      .waitsSince(worth: worth)
    self.init(
      id: job.id, number: job.number, kind: job.kind, priority: job.priority,
      rank: books.isOrdered ? job.order?.rank : nil, key: job.key, step: job.step?.name,
      since: clock.wallTime(of: since), isReleased: true)
  }

  fileprivate init(_ next: NextJob, _ books: DepartmentBooks, _ worth: Duration, _ clock: LedgerClock) {
    let job = next.job
    let since = WaitingJob(acceptedAt: job.acceptedAt, standing: next.standing, priority: job.priority)
      .waitsSince(worth: worth)
    self.init(
      id: job.id, number: job.number, kind: job.kind, priority: job.priority,
      rank: books.isOrdered ? job.order?.rank : nil, key: job.key, step: job.step,
      since: clock.wallTime(of: since), isReleased: false, hold: books.firstHold(of: job))
  }
}

extension RunningRow {
  fileprivate init(_ job: LiveJob, _ roster: Roster, _ progress: RunProgress?, _ clock: LedgerClock) {
    self.init(
      id: job.id, number: job.number, kind: job.kind, priority: job.priority, key: job.key, step: job.step?.name,
      attempt: job.progress.attempt, worker: job.run?.worker,
      workerName: job.run.flatMap { roster.workers[$0.worker]?.name },
      startedAt: job.run.map { clock.wallTime(of: $0.since) },
      progress: progress)
  }
}
