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

  /// Adds a request; it is answered at once when nothing is pending.
  mutating func add(_ wait: Wait) -> [Outgoing] {
    guard !wait.pending.isEmpty else { return [.settled(wait)] }
    nextID += 1
    waits[nextID] = wait
    pendingJobs += wait.pending.count
    for job in wait.pending { byJob[job, default: []].insert(nextID) }
    return []
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
      waits[id] = nil
      pendingJobs -= wait.pending.count
      for job in wait.pending {
        byJob[job]?.remove(id)
        if byJob[job]?.isEmpty == true { byJob[job] = nil }
      }
      return .settled(wait)
    }
  }
}
