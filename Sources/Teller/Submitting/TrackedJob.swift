import JobModel
import Synchronization

/// A client's knowledge of one job, and the tasks that wait to know more. Lives as long as a handle of the job.
final class TrackedJob: Sendable {
  /// A stage of the job that a task can wait for.
  enum Stage: Sendable {
    /// Accepted or rejected.
    case acceptance
    /// Ended or rejected.
    case outcome
  }

  /// The client's knowledge of the job. It grows, and no part of it is taken back.
  struct Knowledge: Sendable {
    var acceptance: Result<Void, JobFailure>?
    var outcome: Outcome?
    /// The first job with the same key: this one was not recorded, and the outcome of the first one counts.
    var duplicateOf: JobID?

    /// The end of a wait for that stage; nil: the wait goes on.
    func result(of stage: Stage, of job: JobID) -> Result<Outcome?, any Error>? {
      switch (stage, acceptance) {
      case (_, .failure(let rejection)): .failure(JobError.rejected(job, rejection))
      case (.acceptance, .success): .success(outcome)
      case (.acceptance, nil), (.outcome, _): outcome.map { .success($0) }
      }
    }
  }

  /// Longer than any `silence` of the timeouts: a job that is silent for so long is asked about at the next opportunity.
  private static let longSilence: Duration = .seconds(86_400)

  private struct Waiter {
    let stage: Stage
    let end = OneShot<Outcome?>()
  }

  private struct State {
    var knowledge = Knowledge()
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
    /// When news of the job came last, or it was last asked about.
    var lastHeard: ContinuousClock.Instant = .now
    /// Since when a coordinator that answers has not known the job.
    var unknownSince: ContinuousClock.Instant?
    /// This client has submitted the job, so the coordinator will know it one day.
    var isOurs = false
    /// The last stage of which the coordinator tells by itself; nil: of none.
    var toldOf: Stage?

    var mayBeQueued: Bool { isOurs && knowledge.acceptance == nil }

    /// Whether a task waits for a stage of which the coordinator does not tell by itself.
    var isPolled: Bool {
      switch toldOf {
      case nil: !waiters.isEmpty
      case .acceptance: waiters.values.contains { $0.stage == .outcome }
      case .outcome: false
      }
    }
  }

  let id: JobID
  private let jobs: TrackedJobs
  private let state = Mutex(State())

  init(_ id: JobID, in jobs: TrackedJobs) {
    self.id = id
    self.jobs = jobs
  }

  deinit { jobs.forget(id, ObjectIdentifier(self)) }

  var knowledge: Knowledge { state.withLock { $0.knowledge } }

  /// The job to ask about: this one, or the one that it is a duplicate of.
  var recordedID: JobID { knowledge.duplicateOf ?? id }

  /// Waits until the job has reached that stage.
  ///
  /// - Returns: the outcome, if it is known by then.
  /// - Throws: the rejection, a `TellerError` when the waits were interrupted, or `CancellationError`.
  func wait(for stage: Stage) async throws -> Outcome? {
    let waiter = Waiter(stage: stage)
    let (id, known, isPolled) = state.withLock { state in
      state.lastWaiter += 1
      let known = state.knowledge.result(of: stage, of: self.id) ?? jobs.problem.map { .failure($0) }
      if known == nil { state.waiters[state.lastWaiter] = waiter }
      return (state.lastWaiter, known, state.isPolled)
    }
    if let known { return try known.get() }
    if isPolled { jobs.pollSoon() }
    defer { state.withLock { $0.waiters[id] = nil } }
    return try await waiter.end.value
  }
}

extension TrackedJob {
  /// Changes the knowledge, and ends the waits for a stage that is reached by it.
  func learn(_ news: (inout Knowledge) -> Void) {
    let ended = state.withLock { state in
      news(&state.knowledge)
      state.lastHeard = .now
      state.unknownSince = nil
      let ended = state.waiters.compactMap { id, waiter in
        state.knowledge.result(of: waiter.stage, of: self.id).map { (id, waiter, $0) }
      }
      for (id, _, _) in ended { state.waiters[id] = nil }
      return ended
    }
    for (_, waiter, result) in ended { waiter.end.fulfil(result) }
  }

  /// Ends the present waits with an error. Later waits are not touched.
  func interrupt(_ error: TellerError) {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.end.fulfil(.failure(error)) }
  }

  /// When news of the job came last, or it was last asked about; nil while no task needs to know more of it, and while it
  /// is asked about all the time.
  ///
  /// Of a job that this client has submitted the acceptance is wanted in any case. A task may wait for a thousand jobs one
  /// after the other: else each of them would be asked about in a turn of its own.
  var silentSince: ContinuousClock.Instant? {
    state.withLock { !$0.isPolled && ($0.mayBeQueued || !$0.waiters.isEmpty) ? $0.lastHeard : nil }
  }

  /// Whether a task needs to know more of the job.
  var needsAnswer: Bool { state.withLock { $0.mayBeQueued || !$0.waiters.isEmpty } }

  /// Whether the job may still stand in the submission queue.
  var mayBeQueued: Bool { state.withLock { $0.mayBeQueued } }

  /// Whether the coordinator is asked about the job all the time.
  var isPolled: Bool { state.withLock { $0.isPolled } }

  var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

  func markAsked() {
    state.withLock { $0.lastHeard = .now }
  }

  /// Has the job asked about at the next opportunity: a question was not answered, or a reply may be lost.
  func markOverdue() {
    state.withLock { $0.lastHeard = .now - TrackedJob.longSilence }
  }

  /// Notes that the coordinator does not know the job, and ends the present waits when that has been so for too long: for
  /// `timeouts.unknown` when the submission may still stand in a long queue, else for `timeouts.request`.
  func reportUnknown(timeouts: ClientTimeouts) {
    let isTooLong = state.withLock { state in
      let since = state.unknownSince ?? .now
      state.unknownSince = since
      return .now - since >= (state.mayBeQueued ? timeouts.unknown : timeouts.request)
    }
    if isTooLong { interrupt(.unknownJob(id)) }
  }

  /// Notes that the job is being submitted, perhaps not for the first time: an earlier rejection no longer counts.
  /// `toldOf`: the last stage of which the coordinator replies by itself.
  func beginSubmitting(toldOf stage: Stage? = .outcome) {
    state.withLock { state in
      state.isOurs = true
      state.toldOf = stage
      if case .failure = state.knowledge.acceptance { state.knowledge.acceptance = nil }
      state.lastHeard = .now
    }
  }
}
