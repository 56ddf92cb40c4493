/// Where a job stands: `held → queued → running → succeeded | failed | cancelled`.
///
/// `running` is what the coordinator has heard from workers, and lives in its memory; the ledger keeps the others. A
/// final state is never left.
public enum JobState: String, Hashable, Sendable, Codable, CaseIterable {
  /// Accepted, and not released yet: its department has enough released jobs, or jobs before it have not ended.
  case held
  /// Released to its department's queue.
  case queued
  /// A teller has it.
  case running
  /// The handler returned.
  case succeeded
  /// The attempts are used up, or the failure was permanent.
  case failed
  /// Taken back before it ended.
  case cancelled

  /// Whether the job has its outcome.
  public var isFinal: Bool {
    switch self {
    case .held, .queued, .running: false
    case .succeeded, .failed, .cancelled: true
    }
  }
}

/// What the table of states needs to know of a job; the whole of a job's progress, and nothing of what it does.
package struct JobProgress: Hashable, Sendable {
  /// As the ledger keeps it, so never `running`: see `seenRunning`.
  package var state: JobState
  /// The attempt that is under way or comes next, from 1.
  package var attempt: Int
  /// How many attempts the job has, as its submission, the coordinator's file or its handler says; nil: nobody has said.
  package private(set) var saidAttempts: Int?
  /// How many attempts the job has.
  package var maxAttempts: Int { saidAttempts ?? Submission.defaultMaxAttempts }
  /// The number of the current release; 0 before the first.
  package var release: Int
  /// What a report must carry to count. Grows by one with every release and every granted claim.
  package var token: Int
  /// No number up to this is given to a release or a grant: of an earlier epoch of the ledger, nobody knows how far its
  /// numbers went. Memory only, see ``lastNumber(before:)``.
  package var lastTaken = 0
  /// A worker has said that it runs this release. Memory only: a restarted coordinator hears it again.
  package var seenRunning: Bool
  /// At how many deaths of workers it was running. After the first, every release is claimed, so that its start is
  /// known.
  package var deaths = 0
  /// What is known of the death of the worker that has this release; nil: nothing. Memory only.
  package var blame: Blame?

  package init(
    state: JobState = .held, attempt: Int = 1, maxAttempts: Int?, release: Int = 0, token: Int = 0,
    seenRunning: Bool = false, deaths: Int = 0
  ) {
    self.state = state
    self.attempt = attempt
    saidAttempts = maxAttempts
    self.release = release
    self.token = token
    self.seenRunning = seenRunning
    self.deaths = deaths
  }

  /// Numbers up to this may have been used by earlier epochs of the ledger; 0 for the first epoch, which is 1.
  package static func lastNumber(before epoch: Int) -> Int { max(0, epoch - 1) << 24 }

  /// The epoch of the ledger in which a number is given.
  package static func epoch(of number: Int) -> Int { (max(1, number) - 1) >> 24 + 1 }

  /// The last epoch that a ledger can come to: probes of later ones have no numbers.
  package static let lastEpoch = Epoch.limit - 1
  /// The highest number that a release or a token can have; what has a higher one is of no ledger.
  package static let highestNumber = lastNumber(before: lastEpoch + 1)
  /// A worker's number shows that its epoch has been, up to this one. Half of all epochs are left for what the
  /// notification stream shows: a worker that makes up numbers cannot use up all.
  package static let lastShownEpoch = lastEpoch / 2 + 1

  /// A handler says how many attempts the job has. It counts if nobody has said before.
  ///
  /// - Returns: Whether it counts.
  package mutating func settle(attempts: Int?) -> Bool {
    guard saidAttempts == nil, let attempts else { return false }
    saidAttempts = attempts
    return true
  }

  /// The state as people are told it.
  package var visibleState: JobState { state == .queued && seenRunning ? .running : state }

  /// Whether there is evidence that the current release was started: a claim of it was granted, or it was seen running.
  /// A redelivered flag alone is none: after a crash of the broker every message carries it.
  package var wasStarted: Bool { token > release || seenRunning }

  /// Whether a run of it has begun before the current release.
  package var hasBegun: Bool { attempt > 1 || deaths > 0 }

  /// Whether it may have killed its workers: it is released only while no other suspect of its department is.
  package var isSuspect: Bool { deaths >= Death.suspectDeaths }
}

/// What an attempt came to, as its worker reports it.
package enum AttemptResult: Hashable, Sendable {
  case succeeded(result: [UInt8], contentType: String?)
  /// `isPermanent`: trying again cannot help.
  case failed(JobFailure, isPermanent: Bool)
  /// The handler wants to run again after that time. No attempt is used up.
  case snoozed(Duration)
  /// The handler found nothing to do any more, with the reason.
  case discarded(JobFailure)
}

/// The limits of a snooze.
public enum SnoozeLimits {
  /// The longest time that a job can be snoozed: a year.
  public static let longest: Duration = .seconds(366 * 86_400)
  /// The shortest time that a job can be snoozed.
  public static let shortest: Duration = .seconds(1)
  /// How often a job can be snoozed, in all its attempts together. One snooze more, and the job fails with
  /// ``JobFailure/Code/snoozeLimit``.
  public static let ofJob = 10_000

  /// The time that a job is snoozed for when its handler asks for `time`.
  package static func within(_ time: Duration) -> Duration { min(max(shortest, time), longest) }
}

/// What can happen to a job.
package enum JobTransition: Hashable, Sendable {
  /// Nothing holds it any more.
  case lifted
  /// A worker lists the release among what it runs.
  case seenRunning(release: Int)
  /// A claim of the current release may run.
  case claimGranted
  /// As `claimGranted`, when the worker of the last grant is there and has not begun: the answer with that grant was
  /// lost on its way.
  case claimGrantedAnew
  /// The coordinator claimed the current release for itself: no worker has it.
  case foundLost
  /// The job is a suspect that has not begun. Another suspect runs where it was to start.
  case sentBack
  /// The current release is taken back to be released in another way: no worker has it, or will start it.
  case withdrawn
  /// As `withdrawn`, when the worker of the last grant is there and has not begun: the answer with that grant was lost
  /// on its way.
  case withdrawnUnbegun
  /// It is released, and was not published: it cannot run anywhere now.
  case heldBack
  /// A worker reports the end of an attempt.
  case reported(token: Int, AttemptResult)
  /// It is taken back.
  case cancelled(JobFailure)
  /// It cannot be run any more: its time to start is over, or a job that it waits for failed.
  case failed(JobFailure)
}

/// What is to be done because of an event.
package enum JobEffect: Hashable, Sendable {
  /// Publish the current release to the department's queue, once it is recorded; `interrupted` is the number of the
  /// attempt that was cut short and used up, if one was.
  case release(interrupted: Int?)
  /// Tell the worker that claimed it to run, with the current token and attempt, once it is recorded.
  case grant(interrupted: Int?)
  /// Hold it, for a reason of the one who asked.
  case hold
  /// It is a suspect: hold it in its department's line; whoever has its message is to drop it.
  case withhold(interrupted: Int?)
  /// Only what people are told has changed: there is nothing to record.
  case show
  /// The attempt `number` ended thus; a failure of which the job did not end.
  case attemptFailed(number: Int, JobFailure)
  /// Hold it for that time; the attempt does not count.
  case snooze(Duration)
  /// The job has ended.
  case finish(Outcome)
  /// Nothing changes; why.
  case ignore(Reason)

  package enum Reason: Hashable, Sendable {
    /// A report with a token that a later release or grant replaced.
    case staleToken
    /// The job has its outcome already.
    case alreadyFinal
    /// The table has no such edge, e.g. lifting what is queued.
    case noSuchEdge
  }
}

extension JobProgress {
  /// THE table of transitions; every other place asks it.
  package mutating func apply(_ event: JobTransition) -> JobEffect {
    guard !state.isFinal else { return .ignore(.alreadyFinal) }
    switch event {
    case .lifted: return lift()
    case .seenRunning(let number): return see(number)
    case .claimGranted: return grantClaim(isLastUnheard: false)
    case .claimGrantedAnew: return grantClaim(isLastUnheard: true)
    case .foundLost: return takeBack()
    case .sentBack: return sendBack()
    case .withdrawn: return withdraw()
    case .withdrawnUnbegun: return releaseUnbegun()
    case .heldBack: return holdBack()
    case .reported(let token, let result): return record(result, token: token)
    case .cancelled(let reason): return finish(.cancelled(reason))
    case .failed(let reason): return finish(.failed(reason))
    }
  }

  private mutating func lift() -> JobEffect {
    guard state == .held else { return .ignore(.noSuchEdge) }
    state = .queued
    token = nextToken
    release = token
    seenRunning = false
    blame = nil
    return .release(interrupted: nil)
  }

  private mutating func see(_ number: Int) -> JobEffect {
    guard state == .queued, number == release else { return .ignore(.noSuchEdge) }
    seenRunning = true
    blame = nil
    return .show
  }

  private mutating func grantClaim(isLastUnheard: Bool) -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    let wasInterrupted = seenRunning || wasStarted && !isLastUnheard
    let cut = wasInterrupted ? cutShort() : Cut()
    if let effect = cut.effect { return effect }
    token = nextToken
    seenRunning = false
    return .grant(interrupted: cut.attempt)
  }

  private mutating func takeBack() -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    // What may run at most once asks before it runs, and the grant is recorded: without one it has not begun. What an
    // earlier epoch has granted, this ledger may not know.
    if maxAttempts == 1, release <= lastTaken { return finish(.failed(.lost())) }
    let cut = wasStarted ? cutShort() : Cut()
    if let effect = cut.effect { return effect }
    state = .held
    _ = lift()
    return .release(interrupted: cut.attempt)
  }

  private mutating func sendBack() -> JobEffect {
    guard state == .queued, isSuspect else { return .ignore(.noSuchEdge) }
    state = .held
    seenRunning = false
    blame = nil
    return .withhold(interrupted: nil)
  }

  /// Unlike one that is lost, a release that is withdrawn was never in a worker's hands, unless there is evidence.
  private mutating func withdraw() -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    return wasStarted ? takeBack() : releaseUnbegun()
  }

  private mutating func releaseUnbegun() -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    state = .held
    return lift()
  }

  private mutating func holdBack() -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    state = .held
    seenRunning = false
    return .hold
  }

  private mutating func record(_ result: AttemptResult, token reported: Int) -> JobEffect {
    guard state == .queued else { return .ignore(.noSuchEdge) }
    guard reported == token else { return .ignore(.staleToken) }
    switch result {
    case .succeeded(let result, let contentType):
      return finish(.succeeded(result: result, contentType: contentType))
    case .failed(let failure, isPermanent: true):
      return finish(.failed(failure))
    case .discarded(let failure):
      return finish(.cancelled(failure))
    case .failed(let failure, isPermanent: false):
      let number = attempt
      if let ended = useUpAttempt(failure) { return ended }
      holdAfterRun()
      return .attemptFailed(number: number, failure)
    case .snoozed(let time):
      holdAfterRun()
      return .snooze(time)
    }
  }

  private mutating func holdAfterRun() {
    state = .held
    seenRunning = false
    blame = nil
  }

  private var nextToken: Int { max(token, lastTaken) + 1 }

  /// What a run that was cut short came to.
  private struct Cut {
    /// The attempt that it used up; nil: none.
    var attempt: Int?
    /// What is to be done instead of running it again at once; nil: nothing.
    var effect: JobEffect?
  }

  /// A run of the job was cut short by the death of its worker. Where nothing is known of that death, a suspect is taken
  /// to be its cause: else a job that takes the coordinator with it each time would never end.
  private mutating func cutShort() -> Cut {
    let isCharged = (blame ?? (isSuspect ? .alone : .inCompany)) == .alone
    if blame != .drained { deaths += 1 }
    blame = nil
    if maxAttempts == 1 { return Cut(effect: finish(.failed(.lost()))) }
    let number = isCharged ? attempt : nil
    if isCharged, let ended = useUpAttempt(.poison(deaths: deaths)) { return Cut(attempt: number, effect: ended) }
    guard isSuspect else { return Cut(attempt: number) }
    state = .held
    seenRunning = false
    return Cut(attempt: number, effect: .withhold(interrupted: number))
  }

  /// One attempt less; the end of the job when it was the last.
  private mutating func useUpAttempt(_ failure: JobFailure) -> JobEffect? {
    guard attempt < maxAttempts else { return finish(.failed(failure)) }
    attempt += 1
    return nil
  }

  private mutating func finish(_ outcome: Outcome) -> JobEffect {
    state = outcome.state
    seenRunning = false
    blame = nil
    return .finish(outcome)
  }
}
