package import JobModel

/// What is known of a job at one moment, and the reasons that follow from it. Pure.
package struct Explanation: Sendable {
  package var job: Job
  package var live: LiveJob?
  package var books: DepartmentBooks
  package var now: Timestamp
  /// Whether its department is in the configuration.
  package var isConfigured: Bool
  /// Why the broker refuses the queue of its department; nil: it does not.
  package var refused: String?
  /// The jobs that it waits for, and those of them that nobody has submitted yet; until when that has time.
  package var dependencies: [JobID] = []
  package var unknown: [JobID] = []
  package var unknownUntil: Timestamp?
  /// What becomes of it when one of them does not succeed.
  package var dependencyRule: DependencyRule = .fail
  /// The attempt that ended last, of a job that waits for its time: it failed, or was snoozed.
  package var lastAttempt: AttemptRecord?
  /// How often attempts of it have ended without being used up.
  package var unused = UnusedAttempts()
  package var tellers = 0
  /// The tellers that could serve it, and how many of them are stuck.
  package var stuck = StuckTellers()
  /// The workers that have a handler for its kind, and those that have none; and a kind with a name that is near.
  package var handlers: (knowing: [String], lacking: [String]) = ([], [])
  package var suggestion: JobKind?
  /// The places of the shared window that the queue of the kind has, and may have; nil: the kind has no queue.
  package var beside: (places: Int, limit: Int)?
  /// The plans that its department waits for, by name.
  package var gates: [Gate] = []
  /// The job that is served first, in an ordered department.
  package var ahead: JobID?
  /// The jobs of its department that were cancelled or moved and keep a place yet.
  package var void: [JobID] = []
  /// Nothing is released until then.
  package var quietUntil: Timestamp?
  /// A command that concerns it, and has not come to its end.
  package var operation: Operation?
  package var isClaimed = false
  /// The coordinator asks the workers of its own accord: no worker has the message in hand.
  package var isClaimedByCoordinator = false
  /// The names of the workers that have not answered yet.
  package var awaited: [String] = []
  /// The change to be made as soon as it is certain that no worker has the job.
  package var change: Change?
  package var worker: (name: String, running: RunningRelease)?
  /// The worker that has taken the job ahead: it waits there for a teller; nil: none has.
  package var holder: String?
  /// The jobs that go first, of a suspect that waits in the line of its department.
  package var suspectsAhead: [JobID] = []

  package init(job: Job, live: LiveJob?, books: DepartmentBooks, now: Timestamp, isConfigured: Bool) {
    (self.job, self.live, self.books, self.now, self.isConfigured) = (job, live, books, now, isConfigured)
  }

  /// A command about many jobs: it is about to cancel this one, or holds it back while it cancels others.
  package struct Operation: Sendable {
    var id: Int64
    var cancelsIt: Bool
    var since: Timestamp?

    package init(id: Int64, cancelsIt: Bool, since: Timestamp?) {
      (self.id, self.cancelsIt, self.since) = (id, cancelsIt, since)
    }
  }

  /// A plan whose gates are shut.
  package struct Gate: Sendable {
    var plan: PlanName
    var phase: PlanPhase
    /// Whether the configuration has the plan: another one is not started by its name.
    var isConfigured: Bool

    package init(_ plan: PlanName, _ phase: PlanPhase, isConfigured: Bool) {
      (self.plan, self.phase, self.isConfigured) = (plan, phase, isConfigured)
    }
  }

  package typealias Reason = JobExplanation.Reason

  package var document: JobExplanation {
    let state = live?.progress.visibleState ?? job.progress.visibleState
    return JobExplanation(
      job: job.id, state: state, kind: job.kind, department: job.department, reasons: reasons(in: state))
  }

  private func reasons(in state: JobState) -> [Reason] {
    switch state {
    case .held: holds
    case .queued: waits + [suspicion, epoch, clearing].compactMap { $0 }
    // Another worker may have its message, and ask.
    case .running: [running] + (isClaimed ? [claim] : []) + [suspicion, clearing].compactMap { $0 }
    case .succeeded, .failed, .cancelled: [ended]
    }
  }

  private var ended: Reason {
    switch job.settlement {
    case .replayed(let replay):
      return Reason(hold: .ended, text: "\(end); it was submitted again as \(replay)", since: job.finishedAt)
    case .dropped:
      return Reason(hold: .ended, text: "\(end); it was dropped, and nothing is to be done", since: job.finishedAt)
    case .handled:
      return Reason(
        hold: .ended, text: "\(end); its plan was ready for that, and nothing is to be done", since: job.finishedAt)
    case nil:
      let isFailed = job.progress.state == .failed
      return Reason(
        hold: .ended, text: end,
        lifts: isFailed ? "`teller replay \(job.id)`, which submits it again; or `teller drop \(job.id)`" : nil,
        since: job.finishedAt)
    }
  }

  /// The reason of a plan that has ended.
  package static func endReason(_ outcome: Outcome?, at time: Timestamp?) -> Reason {
    Reason(hold: .ended, text: endText(outcome, outcome?.state ?? .held), since: time)
  }

  private var end: String { Explanation.endText(job.outcome, job.progress.state) }

  private static func endText(_ outcome: Outcome?, _ state: JobState) -> String {
    switch outcome {
    case .failed(let failure)?: "it has failed with \(failure.code): \(failure.message)"
    // Somebody cancelled it: the message says that in full.
    case .cancelled(let failure)? where failure.code == JobFailure.Code.cancelled: failure.message
    case .cancelled(let failure)?: "it was cancelled: \(failure.message)"
    case .succeeded?, nil: "it has \(state)"
    }
  }
}
