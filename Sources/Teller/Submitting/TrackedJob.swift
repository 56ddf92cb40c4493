import JobModel
import Synchronization

/// A client's knowledge of one job, and the tasks that wait to know more. Lives as long as a handle of the job.
final class TrackedJob: Sendable {
  /// A stage of the job that a task can wait for. A reply may tell of the first two.
  enum Stage: Int, Comparable, Sendable {
    /// Accepted or rejected.
    case acceptance
    /// Ended or rejected.
    case outcome
    /// Ended or rejected, and the coordinator has told what it recorded of that.
    case record

    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// What a wait has found out.
  struct News: Sendable {
    var outcome: Outcome?
    /// Only where the wait was for it.
    var record: JobRecord?
  }

  /// The client's knowledge of the job. It grows; only a duplicate that the coordinator accepts after all is none any more.
  struct Knowledge: Sendable {
    var acceptance: Result<Void, JobFailure>?
    var outcome: Outcome?
    /// The first job with the same key, or the run of the plan that is under way: this one was not recorded, and the outcome of the first one counts.
    var duplicateOf: JobID?
    /// What was decided about the submission; nil: nothing is known, or no reply has said it.
    var decision: SubmissionDecision?
    /// The coordinator has answered that it is new. Where it was sent more than once, the other answers say
    /// `duplicate`.
    var isNew = false

    /// The end of a wait for that stage; nil: the wait goes on. `record`: what the coordinator has told just now.
    func result(of stage: Stage, of job: JobID, _ record: JobRecord? = nil) -> End? {
      switch (stage, acceptance) {
      case (_, .failure(let rejection)): .failure(JobError.rejected(job, rejection))
      case (.acceptance, .success): .success(News(outcome: outcome))
      case (.acceptance, nil), (.outcome, _): outcome.map { .success(News(outcome: $0)) }
      case (.record, _): record.map { .success(News(outcome: outcome, record: $0)) }
      }
    }
  }

  /// Longer than any `silence` of the timeouts: a job that is silent for so long is asked about at the next opportunity.
  private static let longSilence: Duration = .seconds(86_400)

  /// The end of a wait: its news; or the rejection, or a `TellerError` when the waits were interrupted.
  typealias End = Result<News, any Error>

  private struct Waiter {
    let number: UInt64
    let stage: Stage
    /// How long the job may be unknown; nil: as the timeouts say.
    let patience: Duration?
    let deadline: ContinuousClock.Instant?
    /// Never called under the lock.
    let tell: @Sendable (End) -> Void
  }

  /// A wait that has begun. It keeps the job.
  struct Wait: Sendable {
    fileprivate let job: TrackedJob
    fileprivate let number: UInt64

    /// Ends the wait. Nothing is told any more, unless it is being told just now.
    func end() { job.state.withLock { state in state.waiters.removeAll { $0.number == number } } }
  }

  private struct State {
    var knowledge = Knowledge()
    /// Mostly one, or none.
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
    /// When news of the job came last, or it was last asked about.
    var lastHeard: ContinuousClock.Instant = .now
    /// Since when a coordinator that answers has not known the job.
    var unknownSince: ContinuousClock.Instant?
    /// This client has submitted the job, so the coordinator will know it one day.
    var isOurs = false
    /// The last stage of which the coordinator tells by itself; nil: of none.
    var toldOf: Stage?
    /// It was submitted under this name.
    var name: SharedName?
    /// Tells the content that it was submitted with from any other; nil: it was not submitted by this client.
    var content: Int?

    var mayBeQueued: Bool { isOurs && knowledge.acceptance == nil }

    /// Whether a task waits for a stage of which the coordinator does not tell by itself.
    var isPolled: Bool { waiters.contains { waiter in toldOf.map { waiter.stage > $0 } ?? true } }

    /// Takes out the waiters for which that gives an end.
    mutating func takeWaiters(_ end: (Waiter) -> End?) -> [(Waiter, End)] {
      let ended = waiters.compactMap { waiter in end(waiter).map { (waiter, $0) } }
      if !ended.isEmpty { waiters.removeAll { waiter in ended.contains { $0.0.number == waiter.number } } }
      return ended
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

  /// Begins to wait until the job has reached that stage. The coordinator is asked soon about a job that is polled after
  /// ``TrackedJobs/pollSoon()`` alone.
  ///
  /// - Parameters:
  ///   - stage: the stage.
  ///   - patience: how long the job may be unknown; nil: as the timeouts say.
  ///   - deadline: when the wait ends in any case; whoever waits sees to that.
  ///   - tell: is called once, with the end of the wait; before this function returns, where that is known already.
  /// - Returns: the wait, which lasts until its end is told.
  func begin(
    _ stage: Stage, patience: Duration? = nil, deadline: ContinuousClock.Instant? = nil,
    tell: @escaping @Sendable (End) -> Void
  ) -> Wait {
    let (number, known) = state.withLock { state -> (UInt64, End?) in
      state.lastWaiter += 1
      let number = state.lastWaiter
      let known = state.knowledge.result(of: stage, of: id) ?? jobs.problem.map { .failure($0) }
      if known == nil {
        state.waiters.append(
          Waiter(number: number, stage: stage, patience: patience, deadline: deadline, tell: tell))
      }
      return (number, known)
    }
    if let known { tell(known) }
    return Wait(job: self, number: number)
  }

  /// Waits until the job has reached that stage.
  ///
  /// - Parameters:
  ///   - stage: the stage.
  ///   - patience: how long the job may be unknown; nil: as the timeouts say.
  ///   - deadline: when the wait ends in any case; whoever waits sees to that.
  /// - Returns: the outcome, if it is known by then.
  /// - Throws: the rejection, a `TellerError` when the waits were interrupted, or `CancellationError`.
  func wait(
    for stage: Stage, patience: Duration? = nil, deadline: ContinuousClock.Instant? = nil
  ) async throws -> Outcome? {
    let end = OneShot<News>()
    let wait = begin(stage, patience: patience, deadline: deadline) { end.fulfil($0) }
    defer { wait.end() }
    if isPolled { jobs.pollSoon() }
    return try await end.value.outcome
  }
}

extension TrackedJob {
  /// Changes the knowledge, and ends the waits for a stage that is reached by it. `record`: what the coordinator has told.
  func learn(_ record: JobRecord? = nil, _ news: (inout Knowledge) -> Void) {
    let ended = state.withLock { state in
      news(&state.knowledge)
      state.lastHeard = .now
      state.unknownSince = nil
      let knowledge = state.knowledge
      return state.takeWaiters { knowledge.result(of: $0.stage, of: self.id, record) }
    }
    for (waiter, end) in ended { waiter.tell(end) }
  }

  /// Ends the present waits with an error. Later waits are not touched.
  func interrupt(_ error: TellerError) {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.tell(.failure(error)) }
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

  /// Whether the coordinator is asked about the job all the time.
  var isPolled: Bool { state.withLock { $0.isPolled } }

  /// When the first of its waits ends in any case; nil: none has a limit.
  var deadline: ContinuousClock.Instant? { state.withLock { $0.waiters.compactMap(\.deadline).min() } }

  var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

  func markAsked() {
    state.withLock { $0.lastHeard = .now }
  }

  /// Has the job asked about at the next opportunity: a question was not answered, or a reply may be lost.
  func markOverdue() {
    state.withLock { $0.lastHeard = .now - TrackedJob.longSilence }
  }

  /// Notes that the coordinator does not know the job, and ends the waits for which that has been so for too long: for
  /// `timeouts.unknown` when the submission may still stand in a long queue, else for `timeouts.request`.
  func reportUnknown(timeouts: ClientTimeouts) {
    let ended = state.withLock { state in
      let since = state.unknownSince ?? .now
      state.unknownSince = since
      let usual = state.mayBeQueued ? timeouts.unknown : timeouts.request
      return state.takeWaiters { .now - since >= $0.patience ?? usual ? .failure(TellerError.unknownJob(id)) : nil }
    }
    for (waiter, end) in ended { waiter.tell(end) }
  }

  /// The name to ask about: a submission under a name was not answered, and the coordinator has not known it for so long;
  /// nil: there is nothing to ask. It may be a duplicate, which is not recorded, and the reply that says so is lost.
  func nameToAskAbout(unknownFor time: Duration) -> SharedName? {
    state.withLock { state in
      guard state.mayBeQueued, let since = state.unknownSince, .now - since >= time else { return nil }
      return state.name
    }
  }

  /// Notes the content of a job that is about to be submitted, as a number that tells it from any other.
  ///
  /// - Returns: Whether it has the content of the submission before, if there was one that was not rejected.
  func takes(_ content: Int) -> Bool {
    state.withLock { state in
      if case .failure = state.knowledge.acceptance { state.content = nil }
      if let earlier = state.content { return earlier == content }
      state.content = content
      return true
    }
  }

  /// Notes that the job is being submitted, perhaps not for the first time: an earlier rejection no longer counts.
  /// `toldOf`: the last stage of which the coordinator replies by itself.
  func beginSubmitting(toldOf stage: Stage? = .outcome, under name: SharedName? = nil) {
    state.withLock { state in
      state.isOurs = true
      state.toldOf = stage
      state.name = name
      if case .failure = state.knowledge.acceptance { state.knowledge.acceptance = nil }
      state.knowledge.decision = nil
      (state.lastHeard, state.unknownSince) = (.now, nil)
    }
  }
}
