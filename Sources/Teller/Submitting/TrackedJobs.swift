import JobModel
import JobTransport
import Synchronization

/// The jobs that have a handle, by id. There are no more than handles.
final class TrackedJobs: Sendable {
  private struct Entry {
    weak var job: TrackedJob?
    /// Which object `job` was, once that is gone.
    let identity: ObjectIdentifier
    /// The first job with the same key, or the run of the plan that is under way.
    var duplicateOf: JobID?
  }

  private struct State {
    private(set) var entries: [JobID: Entry] = [:]
    /// The duplicates of a job, by its id.
    private var duplicates: [JobID: Set<JobID>] = [:]
    var problem: TellerError?
    /// Fulfilled when a task begins to wait for a job that is asked about all the time.
    var poll = OneShot<Void>()

    /// The job and its duplicates: news of the job is news of all of them.
    func withDuplicates(_ id: JobID) -> [TrackedJob] {
      ([id] + (duplicates[id] ?? [])).compactMap { entries[$0]?.job }
    }

    mutating func enter(_ job: TrackedJob) {
      remove(job.id)
      entries[job.id] = Entry(job: job, identity: ObjectIdentifier(job))
    }

    mutating func remove(_ id: JobID) {
      unmark(id)
      entries[id] = nil
    }

    /// The job is no duplicate.
    mutating func unmark(_ id: JobID) {
      guard let first = entries[id]?.duplicateOf else { return }
      entries[id]?.duplicateOf = nil
      duplicates[first]?.remove(id)
      if duplicates[first]?.isEmpty == true { duplicates[first] = nil }
    }

    mutating func mark(_ id: JobID, asDuplicateOf first: JobID) {
      guard entries[id] != nil, entries[id]?.duplicateOf == nil else { return }
      entries[id]?.duplicateOf = first
      duplicates[first, default: []].insert(id)
    }
  }

  private let state = Mutex(State())

  /// Why every wait ends at once; nil while waits make sense.
  var problem: TellerError? { state.withLock { $0.problem } }

  /// The job with that id; all its handles share it.
  func job(_ id: JobID) -> TrackedJob {
    // Made outside the lock: a job that is not needed ends there too, and the `deinit` of a job takes the lock.
    let made = TrackedJob(id, in: self)
    return state.withLock { state in
      if let job = state.entries[id]?.job { return job }
      state.enter(made)
      return made
    }
  }

  /// Forgets an id that has no handle left, unless there is a new object for it by now.
  ///
  /// Reads no `job`: a reference that is held for a moment here could be the last one, and `deinit` takes this lock.
  func forget(_ id: JobID, _ identity: ObjectIdentifier) {
    state.withLock { state in
      if state.entries[id]?.identity == identity { state.remove(id) }
    }
  }

  func receive(_ reply: Reply) {
    guard let id = reply.submission, let job = state.withLock({ $0.entries[id]?.job })
    else { return }
    let isDuplicate = reply.content == .duplicate && !job.knowledge.isNew
    let named = isDuplicate ? reply.job.flatMap { JobID($0) } : nil
    let first = named == id ? nil : named
    if let first { state.withLock { $0.mark(id, asDuplicateOf: first) } }
    // Its name was taken while it stood in the queue, and free when its turn came.
    let isNoDuplicate = reply.content == .accepted && job.knowledge.outcome == nil
    if isNoDuplicate { state.withLock { $0.unmark(id) } }
    job.learn { knowledge in
      if knowledge.decision == nil || isNoDuplicate { knowledge.decision = SubmissionDecision(reply, about: id) }
      knowledge.duplicateOf = isNoDuplicate ? nil : knowledge.duplicateOf ?? first
      if reply.content == .accepted { knowledge.isNew = true }
      switch reply.content {
      case .accepted, .duplicate: knowledge.acceptance = .success(())
      case .rejected(let failure):
        // A late rejection of a repeated submission does not reject a job that was accepted before.
        if knowledge.acceptance == nil { knowledge.acceptance = .failure(failure) }
      case .outcome(let outcome): knowledge.end(outcome)
      }
    }
  }

  /// Takes in the coordinator's answer that it knows the job; `outcome` is nil while the job has none.
  func learn(_ id: JobID, outcome: Outcome?, record: JobRecord? = nil) {
    for job in recorded(id) {
      job.learn(record) { knowledge in
        if let outcome { knowledge.end(outcome) } else { knowledge.acceptance = .success(()) }
      }
    }
  }

  /// Takes in the coordinator's answer that it does not know the job.
  func reportUnknown(_ id: JobID, timeouts: ClientTimeouts) {
    for job in recorded(id) { job.reportUnknown(timeouts: timeouts) }
  }

  /// Takes in that a submission is a duplicate of another one, which has its name. That one is asked about at the next opportunity.
  func learn(_ id: JobID, isDuplicateOf first: JobID) {
    guard id != first, let job = state.withLock({ $0.entries[id]?.job }) else { return }
    state.withLock { $0.mark(id, asDuplicateOf: first) }
    job.learn { knowledge in
      knowledge.duplicateOf = knowledge.duplicateOf ?? first
      knowledge.acceptance = .success(())
    }
    job.markOverdue()
  }

  /// Those of the submissions for whose name is to be asked, with the names; as many as the limit says.
  func namesToAskAbout(
    of ids: [JobID], unknownFor time: Duration, atMost limit: Int
  ) -> [(job: JobID, name: SharedName)] {
    let unanswered = ids.lazy.compactMap { id in
      self.state.withLock { $0.entries[id]?.job }?.nameToAskAbout(unknownFor: time).map { (job: id, name: $0) }
    }
    return Array(unanswered.prefix(limit))
  }

  /// The jobs to ask about now: each has been silent for that time, and a task needs to know more of it. The longest
  /// silent come first. They are marked as asked about.
  func takeOverdue(silentFor time: Duration, atMost limit: Int) -> [JobID] {
    let latest = ContinuousClock.now - time
    var silent = all.compactMap { job in job.silentSince.map { (job, since: $0) } }.filter { $0.since <= latest }
    if silent.count > limit {
      silent.sort { $0.since < $1.since }
      silent.removeLast(silent.count - limit)
    }
    for (job, _) in silent { job.markAsked() }
    var seen: Set<JobID> = []
    return silent.map(\.0.recordedID).filter { seen.insert($0).inserted }
  }

  /// Whether no task needs to know more of any job.
  var needsNoAnswer: Bool { !all.contains(where: \.needsAnswer) }

  /// The jobs that are asked about all the time.
  var polled: Set<JobID> { Set(all.lazy.filter(\.isPolled).map(\.recordedID)) }

  /// How long the most impatient of those who wait for such a job goes on; nil: none has a limit.
  var timeLeft: Duration? { all.lazy.filter(\.isPolled).compactMap(\.deadline).min().map { $0 - .now } }

  /// Fulfilled at the next ``pollSoon()``.
  var nextPoll: OneShot<Void> { state.withLock { $0.poll } }

  /// Has the coordinator asked at once: there is somebody new who waits.
  func pollSoon() {
    let waiting = state.withLock { state in
      defer { state.poll = OneShot() }
      return state.poll
    }
    waiting.fulfil()
  }

  /// Ends the present waits for the jobs that are asked about all the time.
  func interruptPolled(_ error: TellerError) {
    for job in all where job.isPolled { job.interrupt(error) }
  }

  /// Has every job asked about at the next opportunity: replies may be lost.
  func markAllOverdue() {
    for job in all { job.markOverdue() }
  }

  /// Has these jobs asked about at the next opportunity.
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

  private func recorded(_ id: JobID) -> [TrackedJob] { state.withLock { $0.withDuplicates(id) } }

  private var all: [TrackedJob] { state.withLock { $0.entries.values.compactMap(\.job) } }
}

extension Reply {
  /// The submission that is answered.
  var submission: JobID? { (correlationID ?? job).flatMap { JobID($0) } }
}

extension SubmissionDecision {
  /// Nil: the reply says nothing of it.
  fileprivate init?(_ reply: Reply, about id: JobID) {
    let decided = reply.decided ?? DecidedPart()
    switch reply.content {
    case .rejected, .outcome: return nil
    // The same message came twice. It was sent again, since no answer had come.
    case .duplicate where decided.isAgain: self.init(.accepted)
    case .duplicate:
      self.init(
        .duplicate, other: reply.job.flatMap { JobID($0) } ?? id, state: decided.state,
        isSameContent: decided.isSameContent, failure: decided.failure)
    case .accepted:
      self.init(
        decided.replaces == nil ? .accepted : .replaced, other: decided.replaces, state: decided.state,
        failure: decided.failure)
    }
  }
}

extension TrackedJob.Knowledge {
  /// What was decided; nil: nothing is known by now. Where the reply was lost, little is known of it.
  var decided: SubmissionDecision? {
    guard case .success? = acceptance else { return nil }
    if let decision { return decision }
    guard let duplicateOf else { return SubmissionDecision(.accepted) }
    return SubmissionDecision(.duplicate, other: duplicateOf, state: outcome?.state, failure: outcome?.failure)
  }

  /// Notes the outcome. A job with an outcome was accepted before.
  fileprivate mutating func end(_ outcome: Outcome) {
    acceptance = .success(())
    if self.outcome == nil { self.outcome = outcome }
  }
}
