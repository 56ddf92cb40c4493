import JobModel
import JobTransport

/// Who waits for which outcomes. Bounded in number, in ids and in time; the pure half of `wait`.
struct Waits: Sendable {
  /// One request to be told when jobs have ended.
  struct Wait: Sendable {
    var address: AnswerAddress
    /// What was asked for, plans among them.
    var ids: [JobID]
    /// Those that have no outcome yet.
    var pending: Set<JobID>
    var deadline: Duration
  }

  /// The most requests that wait at once, and the most jobs that all of them wait for.
  static let limit = 1_000
  static let jobLimit = 200_000

  private var waits: [Int: Wait] = [:]
  private var byJob: [JobID: Set<Int>] = [:]
  private var pendingJobs = 0
  private var nextID = 0

  var isFull: Bool { waits.count >= Waits.limit || pendingJobs >= Waits.jobLimit }

  /// Adds a request of which nobody has looked yet what is pending; all that may be is.
  ///
  /// - Returns: its number, for ``settle(_:allBut:)`` or ``forget(_:)``.
  mutating func begin(_ wait: Wait) -> Int {
    nextID += 1
    waits[nextID] = wait
    pendingJobs += wait.pending.count
    for job in wait.pending { byJob[job, default: []].insert(nextID) }
    return nextID
  }

  /// Of a request only these are pending, if they still are; it is answered at once when none is.
  mutating func settle(_ number: Int, allBut pending: Set<JobID>) -> [Outgoing] {
    guard let wait = waits[number] else { return [] }
    release(wait.pending.subtracting(pending), of: number)
    waits[number]?.pending.formIntersection(pending)
    guard let left = waits[number], left.pending.isEmpty else { return [] }
    waits[number] = nil
    return [.settled(left)]
  }

  /// Nobody is to be answered any more; their numbers are not given again.
  mutating func forgetAll() {
    waits = [:]
    byJob = [:]
    pendingJobs = 0
  }

  /// Nobody is to be answered.
  mutating func forget(_ number: Int) {
    guard let wait = waits.removeValue(forKey: number) else { return }
    release(wait.pending, of: number)
  }

  private mutating func release(_ jobs: Set<JobID>, of number: Int) {
    pendingJobs -= jobs.count
    for job in jobs {
      byJob[job]?.remove(number)
      if byJob[job]?.isEmpty == true { byJob[job] = nil }
    }
  }

  /// A job, or a plan, has ended.
  mutating func finished(_ job: JobID) -> [Outgoing] {
    guard let waiting = byJob.removeValue(forKey: job) else { return [] }
    return waiting.compactMap { id in
      guard waits[id]?.pending.remove(job) != nil else { return nil }
      pendingJobs -= 1
      guard let wait = waits[id], wait.pending.isEmpty else { return nil }
      waits[id] = nil
      return .settled(wait)
    }
  }

  /// Answers whoever has waited long enough, with what is known by then.
  mutating func expire(at now: Duration) -> [Outgoing] {
    waits.filter { $0.value.deadline <= now }.map { id, wait in
      forget(id)
      return .settled(wait)
    }
  }
}
