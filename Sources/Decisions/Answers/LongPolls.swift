package import JobModel

/// The requests that wait for outcomes (`teller wait`). Bounded in number, in ids and in time.
package struct LongPolls: Sendable {
  /// One request to be told when jobs have ended.
  package struct Poll: Sendable {
    package let address: AnswerAddress
    /// The jobs that were asked for, plans among them.
    package let ids: [JobID]
    /// The jobs that have no outcome yet.
    package internal(set) var pending: Set<JobID>
    /// On the session's clock.
    package let deadline: Duration

    /// Until the ledger is asked, all jobs count as pending.
    package init(address: AnswerAddress, ids: [JobID], deadline: Duration) {
      (self.address, self.ids, pending, self.deadline) = (address, ids, Set(ids), deadline)
    }
  }

  /// The most requests that wait at once, and the most jobs that all of them wait for.
  package static let limit = 1_000
  package static let jobLimit = 200_000

  private var polls: [Int: Poll] = [:]
  private var byJob: [JobID: Set<Int>] = [:]
  private var pendingJobs = 0
  private var lastNumber = 0

  package init() {}

  package var isFull: Bool { polls.count >= LongPolls.limit || pendingJobs >= LongPolls.jobLimit }

  /// How many requests wait for that job.
  package func count(of job: JobID) -> Int { byJob[job]?.count ?? 0 }

  /// Adds a request. Which of its jobs are pending is looked up afterwards, so that an end in between is not missed.
  ///
  /// - Returns: its number, for ``narrow(_:to:)`` or ``forget(_:)``.
  package mutating func add(_ poll: Poll) -> Int {
    lastNumber += 1
    polls[lastNumber] = poll
    pendingJobs += poll.pending.count
    for job in poll.pending { byJob[job, default: []].insert(lastNumber) }
    return lastNumber
  }

  /// The ledger says that only these jobs of a request are pending. A job that has ended meanwhile is not any more.
  ///
  /// - Returns: The request, when it waits for nothing any more; nil: it waits.
  package mutating func narrow(_ number: Int, to pending: Set<JobID>) -> Poll? {
    guard let poll = polls[number] else { return nil }
    drop(poll.pending.subtracting(pending), of: number)
    polls[number]?.pending.formIntersection(pending)
    guard let left = polls[number], left.pending.isEmpty else { return nil }
    polls[number] = nil
    return left
  }

  /// Forgets all requests: nobody is answered. Their numbers are not given again.
  package mutating func forgetAll() { (polls, byJob, pendingJobs) = ([:], [:], 0) }

  package mutating func forget(_ number: Int) {
    guard let poll = polls.removeValue(forKey: number) else { return }
    drop(poll.pending, of: number)
  }

  private mutating func drop(_ jobs: Set<JobID>, of number: Int) {
    pendingJobs -= jobs.count
    for job in jobs {
      byJob[job]?.remove(number)
      if byJob[job]?.isEmpty == true { byJob[job] = nil }
    }
  }

  /// A job, or a plan, has ended.
  ///
  /// - Returns: The requests that wait for nothing any more.
  package mutating func ended(_ job: JobID) -> [Poll] {
    guard let waiting = byJob.removeValue(forKey: job) else { return [] }
    return waiting.compactMap { number in
      guard polls[number]?.pending.remove(job) != nil else { return nil }
      pendingJobs -= 1
      guard let poll = polls[number], poll.pending.isEmpty else { return nil }
      polls[number] = nil
      return poll
    }
  }

  /// The requests that have waited long enough: they are answered with what is known by now.
  package mutating func expire(at now: Duration) -> [Poll] {
    polls.filter { $0.value.deadline <= now }.map { number, poll in
      forget(number)
      return poll
    }
  }
}
