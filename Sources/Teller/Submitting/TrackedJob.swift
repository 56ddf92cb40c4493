import JobModel
import Synchronization

/// What a client knows of one job, and who waits to know more. Lives as long as somebody holds a handle of the job.
final class TrackedJob: Sendable {
  /// What a task can wait for.
  enum Stage: Sendable {
    /// Accepted or rejected.
    case acceptance
    /// Ended or rejected.
    case outcome
  }

  /// What is known. Grows, and never changes its mind.
  struct Knowledge: Sendable {
    var acceptance: Result<Void, JobFailure>?
    var outcome: Outcome?
    /// The job that had the same key before: this one was not recorded, and that one's outcome counts.
    var duplicateOf: JobID?

    /// What a wait for that stage ends with; nil while it is open.
    func answer(to stage: Stage) -> Result<Outcome?, any Error>? {
      switch (stage, acceptance) {
      case (_, .failure(let rejection)): .failure(rejection)
      case (.acceptance, .success): .success(outcome)
      case (.acceptance, nil), (.outcome, _): outcome.map { .success($0) }
      }
    }
  }

  /// Longer than anybody's patience: who has been silent for so long is asked about at the next opportunity.
  private static let longSilence: Duration = .seconds(86_400)

  private struct Waiter {
    let stage: Stage
    let continuation: CheckedContinuation<Outcome?, any Error>
  }

  private struct State {
    var knowledge = Knowledge()
    var waiters: [UInt64: Waiter] = [:]
    var lastWaiter: UInt64 = 0
    /// Since when the job has been silent, or was last asked about.
    var lastHeard: ContinuousClock.Instant = .now
    /// Since when a coordinator that answers has not known it.
    var unknownSince: ContinuousClock.Instant?
    /// This client has submitted it, so it will be known one day.
    var isOurs = false

    var mayBeQueued: Bool { isOurs && knowledge.acceptance == nil }
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

  /// The job to ask about: itself, unless another one stands for it.
  var recordedID: JobID { knowledge.duplicateOf ?? id }

  /// Waits until the job has come that far.
  ///
  /// - Returns: the outcome, if there is one by then.
  /// - Throws: the rejection, a `TellerError` when the waits were interrupted, or `CancellationError`.
  func wait(for stage: Stage) async throws -> Outcome? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Waiter(stage: stage, continuation: continuation), as: id)
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func add(_ waiter: Waiter, as id: UInt64) {
    let answer = state.withLock { state -> Result<Outcome?, any Error>? in
      if let answer = state.knowledge.answer(to: waiter.stage) { return answer }
      if let problem = jobs.problem { return .failure(problem) }
      if Task.isCancelled { return .failure(CancellationError()) }
      state.waiters[id] = waiter
      return nil
    }
    if let answer { waiter.continuation.resume(with: answer) }
  }
}

extension TrackedJob {
  /// Takes in news, and tells those for whom they are the answer.
  func learn(_ change: (inout Knowledge) -> Void) {
    let answered = state.withLock { state in
      change(&state.knowledge)
      state.lastHeard = .now
      state.unknownSince = nil
      let answered = state.waiters.compactMap { id, waiter in
        state.knowledge.answer(to: waiter.stage).map { (id, waiter, $0) }
      }
      for (id, _, _) in answered { state.waiters[id] = nil }
      return answered
    }
    for (_, waiter, answer) in answered { waiter.continuation.resume(with: answer) }
  }

  /// Ends the present waits; later ones may be luckier.
  func interrupt(_ error: TellerError) {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.continuation.resume(throwing: error) }
  }

  /// Since when it has been silent, or was last asked about; nil while nobody needs to know more of it.
  ///
  /// Of what this client has submitted it wants to know in any case whether it was accepted: whoever waits for one job
  /// after the other would else have each of them asked about in a turn of its own.
  var silentSince: ContinuousClock.Instant? {
    state.withLock { state in
      let isUnanswered = state.isOurs && state.knowledge.acceptance == nil
      return isUnanswered || !state.waiters.isEmpty ? state.lastHeard : nil
    }
  }

  /// Whether somebody waits for it.
  var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// It is being asked about now.
  func asked() {
    state.withLock { $0.lastHeard = .now }
  }

  /// The question about it found no answer, or its answer may be lost: it is to be asked about at the next opportunity.
  func markOverdue() {
    state.withLock { $0.lastHeard = .now - TrackedJob.longSilence }
  }

  /// The coordinator answers and does not know it. When this has been so for too long, the present waits end. What this
  /// client has submitted may still stand in a long queue; what was accepted once stands there no more.
  func reportUnknown(timeouts: ClientTimeouts) {
    let isTooLong = state.withLock { state in
      let since = state.unknownSince ?? .now
      state.unknownSince = since
      return .now - since >= (state.mayBeQueued ? timeouts.unknown : timeouts.request)
    }
    if isTooLong { interrupt(.unknownJob(id)) }
  }

  /// The job is submitted, perhaps once more under the same id: an earlier rejection no longer counts.
  func beginSubmitting() {
    state.withLock { state in
      state.isOurs = true
      if case .failure = state.knowledge.acceptance { state.knowledge.acceptance = nil }
      state.lastHeard = .now
    }
  }
}
