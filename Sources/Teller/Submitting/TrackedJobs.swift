import JobModel
import JobTransport
import Synchronization

/// The jobs that somebody holds a handle of, by id. Bounded by those handles.
final class TrackedJobs: Sendable {
  private struct Entry {
    weak var job: TrackedJob?
    /// Which object that was, for when it is gone.
    let identity: ObjectIdentifier
    /// The job with the same key that stands for it.
    var duplicateOf: JobID?
  }

  private struct State {
    private(set) var entries: [JobID: Entry] = [:]
    /// The jobs that another one stands for, by that one.
    private var followers: [JobID: Set<JobID>] = [:]
    var problem: TellerError?

    /// What is learnt of a job is about it, and about all that it stands for.
    func jobs(_ id: JobID) -> [TrackedJob] {
      ([id] + (followers[id] ?? [])).compactMap { id in
        guard let entry = entries[id] else { return nil }
        return entry.job
      }
    }

    mutating func enter(_ job: TrackedJob) {
      remove(job.id)
      entries[job.id] = Entry(job: job, identity: ObjectIdentifier(job))
    }

    mutating func remove(_ id: JobID) {
      guard let first = entries.removeValue(forKey: id)?.duplicateOf else { return }
      followers[first]?.remove(id)
      if followers[first]?.isEmpty == true { followers[first] = nil }
    }

    mutating func follow(_ id: JobID, _ first: JobID) {
      guard entries[id] != nil, entries[id]?.duplicateOf == nil else { return }
      entries[id]?.duplicateOf = first
      followers[first, default: []].insert(id)
    }
  }

  private let state = Mutex(State())

  /// Why nobody need wait any more; nil while waiting makes sense.
  var problem: TellerError? { state.withLock { $0.problem } }

  /// The job of that id; all its handles share it.
  func job(_ id: JobID) -> TrackedJob {
    // Made outside the lock: one that is not needed after all ends there too, and its end takes the lock.
    let made = TrackedJob(id, in: self)
    return state.withLock { state in
      if let entry = state.entries[id], let job = entry.job { return job }
      state.enter(made)
      return made
    }
  }

  /// Forgets an id that has no handle left, unless there is a new object for it by now.
  ///
  /// Looks at no reference: to hold one here for a moment could make its end happen under the lock, which it takes.
  func forget(_ id: JobID, _ identity: ObjectIdentifier) {
    state.withLock { state in
      if state.entries[id]?.identity == identity { state.remove(id) }
    }
  }

  /// A reply has come.
  func receive(_ reply: Reply) {
    guard let id = (reply.correlationID ?? reply.job).flatMap({ JobID($0) }), let job = tracked(id) else { return }
    let first = reply.content == .duplicate ? reply.job.flatMap { JobID($0) } : nil
    if let first, first != id { state.withLock { $0.follow(id, first) } }
    job.learn { knowledge in
      if let first, first != id, knowledge.duplicateOf == nil { knowledge.duplicateOf = first }
      switch reply.content {
      case .accepted, .duplicate: knowledge.acceptance = .success(())
      case .rejected(let failure):
        // A job that was accepted once is not rejected by a late answer to a repetition.
        if knowledge.acceptance == nil { knowledge.acceptance = .failure(failure) }
      case .outcome(let outcome): knowledge.end(outcome)
      }
    }
  }

  /// The coordinator was asked, and knows the job.
  func learn(_ id: JobID, outcome: Outcome?) {
    for job in recorded(id) {
      job.learn { knowledge in
        if let outcome { knowledge.end(outcome) } else { knowledge.acceptance = .success(()) }
      }
    }
  }

  /// The coordinator was asked, and does not know the job.
  func reportUnknown(_ id: JobID, timeouts: ClientTimeouts) {
    for job in recorded(id) { job.reportUnknown(timeouts: timeouts) }
  }

  /// The jobs to ask about: those that somebody waits for, the longest silent first. They count as asked about.
  func toBeAsked(silentFor time: Duration, atMost limit: Int) -> [JobID] {
    let latest = ContinuousClock.now - time
    var silent = all.compactMap { job in job.silentSince.map { (job, since: $0) } }.filter { $0.since <= latest }
    if silent.count > limit {
      silent.sort { $0.since < $1.since }
      silent.removeLast(silent.count - limit)
    }
    for (job, _) in silent { job.asked() }
    var seen: Set<JobID> = []
    return silent.map(\.0.recordedID).filter { seen.insert($0).inserted }
  }

  /// Whether nobody needs to know more of any job than is known.
  var needsNoAnswer: Bool { all.allSatisfy { $0.silentSince == nil } }

  /// Replies may be lost: everybody's next question is due.
  func markAllOverdue() {
    for job in all { job.markOverdue() }
  }

  /// These were asked about in vain.
  func markOverdue(_ ids: [JobID]) {
    for job in ids.flatMap(recorded) { job.markOverdue() }
  }

  /// Ends all present waits.
  func interruptAll(_ error: TellerError) {
    for job in all { job.interrupt(error) }
  }

  /// Ends all present and later waits.
  func end(_ error: TellerError) {
    state.withLock { $0.problem = error }
    interruptAll(error)
  }

  private func tracked(_ id: JobID) -> TrackedJob? {
    state.withLock { state in
      guard let entry = state.entries[id] else { return nil }
      return entry.job
    }
  }

  private func recorded(_ id: JobID) -> [TrackedJob] { state.withLock { $0.jobs(id) } }

  private var all: [TrackedJob] { state.withLock { $0.entries.values.compactMap(\.job) } }
}

extension TrackedJob.Knowledge {
  /// The job has ended, so it was accepted before.
  fileprivate mutating func end(_ outcome: Outcome) {
    acceptance = .success(())
    if self.outcome == nil { self.outcome = outcome }
  }
}
