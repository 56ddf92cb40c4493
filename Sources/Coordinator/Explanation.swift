import Decisions
import JobModel
import JobTransport
import Ledger

/// What is known of a job at one moment, and the reasons that follow from it. Pure.
struct Explanation {
  var job: Job
  var live: LiveJob?
  var desk: Desk
  var now: Timestamp
  /// Whether its department is in the configuration.
  var isConfigured: Bool
  /// The jobs that it waits for, and those of them that nobody has submitted yet; until when that has time.
  var dependencies: [JobID] = []
  var unknown: [JobID] = []
  var unknownUntil: Timestamp?
  /// What becomes of it when one of them does not succeed.
  var dependencyRule: Dependencies.Rule = .fail
  /// Of a job that is tried again: the attempt that failed.
  var lastAttempt: AttemptRecord?
  var tellers = 0
  /// The workers that have a handler for its kind, and those that have none; and a kind with a name that is near.
  var handlers: (knowing: [String], lacking: [String]) = ([], [])
  var suggestion: JobKind?
  /// Of a kind with a queue of its own: how many places of the shared window it has, and may have.
  var beside: (places: Int, limit: Int)?
  /// In an ordered department: what is served first.
  var ahead: JobID?
  /// The jobs of its department that were cancelled or moved and keep a place yet.
  var void: [JobID] = []
  /// Nothing is released until then.
  var quietUntil: Timestamp?
  /// A command that concerns it, and has not come to its end.
  var operation: Operation?
  var isClaimed = false
  /// It asks the workers of its own accord, and no worker has its message in hand.
  var isClaimedByCoordinator = false
  /// The names of the workers that have not answered yet.
  var awaited: [String] = []
  /// What is to be changed of it, once it is certain that nobody has it.
  var change: Change?
  var worker: (name: String, running: RunningRelease)?
  /// Of one that waits in the line of its department because it may have ended workers: those that go first.
  var suspectsAhead: [JobID] = []

  init(job: Job, live: LiveJob?, desk: Desk, now: Timestamp, isConfigured: Bool) {
    (self.job, self.live, self.desk, self.now, self.isConfigured) = (job, live, desk, now, isConfigured)
  }

  /// A command about many jobs: it is about to cancel this one, or holds it back while it cancels others.
  struct Operation {
    var id: Int64
    var cancelsIt: Bool
    var since: Timestamp?
  }

  typealias Reason = ExplainDocument.Reason

  var document: ExplainDocument {
    let state = live?.progress.visibleState ?? job.progress.visibleState
    return ExplainDocument(
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
      return Reason(hold: "ended", text: "\(end); it was submitted again as \(replay)", since: job.finishedAt)
    case .dropped:
      return Reason(hold: "ended", text: "\(end); it was dropped, and nothing is to be done", since: job.finishedAt)
    case nil:
      let isFailed = job.progress.state == .failed
      return Reason(
        hold: "ended", text: end,
        lifts: isFailed ? "`teller replay \(job.id)`, which submits it again; or `teller drop \(job.id)`" : nil,
        since: job.finishedAt)
    }
  }

  /// Of a plan.
  static func ended(_ plan: PlanRecord) -> Reason {
    Reason(hold: "ended", text: end(plan.outcome, plan.outcome?.state ?? .held), since: plan.finishedAt)
  }

  /// Of a job that somebody cancelled: its message says that in full.
  private static let cancelledCode = JobFailure.cancelled(by: "somebody").code

  private var end: String { Explanation.end(job.outcome, job.progress.state) }

  private static func end(_ outcome: Outcome?, _ state: JobState) -> String {
    switch outcome {
    case .failed(let failure)?: "it has failed with \(failure.code): \(failure.message)"
    case .cancelled(let failure)? where failure.code == Explanation.cancelledCode: failure.message
    case .cancelled(let failure)?: "it was cancelled: \(failure.message)"
    case .succeeded?, nil: "it has \(state)"
    }
  }

  // MARK: Held

  private var holds: [Reason] {
    let own = [stranded, time, after, unsubmitted, handler, line, paused, order].compactMap { $0 }
    let reasons = own + [epoch, clearing].compactMap { $0 }
    return reasons.isEmpty ? [room] : reasons
  }

  private var stranded: Reason? {
    guard !isConfigured else { return nil }
    return Reason(
      hold: "department", text: "its department \"\(job.department)\" is not in the coordinator's teller.yaml",
      lifts: "name the department there again, and start the coordinator anew")
  }

  private var time: Reason? {
    guard let time = job.notBefore else { return nil }
    guard job.progress.attempt > 1 else {
      return Reason(hold: "schedule", text: "it is not to run before its time", until: time)
    }
    let cause = lastAttempt?.failure.map { " with \($0.code): \($0.message)" } ?? ""
    let attempt = "attempt \(job.progress.attempt - 1) of \(job.progress.maxAttempts) failed\(cause)"
    return Reason(
      hold: "retry", text: "\(attempt); the next one is after the back-off", since: lastAttempt?.endedAt, until: time)
  }

  private var after: Reason? {
    guard job.openDependencies > 0 else { return nil }
    let count = job.openDependencies
    let end = dependencyRule == .fail ? "this one fails" : "this one is cancelled"
    return Reason(
      hold: "after", text: "it waits for \(count) other \(count == 1 ? "job" : "jobs")",
      lifts: "the success of \(count == 1 ? "that job" : "all of them"); if \(count == 1 ? "it" : "one") does not "
        + "succeed, \(end)",
      jobs: Explanation.page(dependencies))
  }

  /// Jobs that it waits for may be submitted later, but not at any time.
  private var unsubmitted: Reason? {
    guard !unknown.isEmpty else { return nil }
    let text = unknown.count == 1 ? "1 of those was" : "\(unknown.count) of those were"
    let end = dependencyRule == .fail ? "fails" : "is cancelled"
    return Reason(
      hold: "after",
      text: "\(text) not submitted yet; unless that happens in time, this one \(end) with unknown_dependency",
      lifts: "\(unknown.count == 1 ? "its" : "their") submission", until: unknownUntil,
      jobs: Explanation.page(unknown))
  }

  private static func page(_ jobs: [JobID]) -> [JobID] { Array(jobs.prefix(ExplainDocument.jobLimit)) }

  private var handler: Reason? {
    guard job.hold == .handler else { return nil }
    if handlers.knowing.isEmpty { return noHandler }
    return beside.map(share) ?? noKindQueue
  }

  /// Its kind has its part of the department's window, or others have all of it.
  private func share(_ beside: (places: Int, limit: Int)) -> Reason {
    let rest = beside.places < beside.limit ? "\(beside.places), and the window is full" : "\(beside.places)"
    return Reason(
      hold: "handler",
      text: "not all workers of department \"\(job.department)\" have a handler for kind \"\(job.kind)\" "
        + "(\(split)), so its jobs may have \(beside.limit) of the department's "
        + "\(desk.window.limit) places, and have \(rest)",
      lifts: "the end of others, when it is first in line, or a handler for it in every worker")
  }

  /// Workers with a handler are there, but nothing goes into the queue of its kind at this moment.
  private var noKindQueue: Reason {
    Reason(
      hold: "handler",
      text: "not all workers of department \"\(job.department)\" have a handler for kind \"\(job.kind)\" "
        + "(\(split)), and the queue of that kind is being removed or made",
      lifts: "the end of that")
  }

  /// Also of a job that lies in the queue of its kind, and whose workers are gone.
  private var noHandler: Reason {
    let workers = handlers.lacking.isEmpty ? "" : " (asked: \(names(handlers.lacking)))"
    let meant = suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
    return Reason(
      hold: "handler",
      text: "no worker of department \"\(job.department)\" has a handler for kind \"\(job.kind)\"\(workers)\(meant)",
      lifts: "a worker with a handler for it; no attempt is counted until then", since: live?.releasedAt)
  }

  /// As in "floor-1 have one, floor-2, floor-3 do not".
  private var split: String {
    let lacking = handlers.lacking.isEmpty ? "" : ", \(names(handlers.lacking)) do not"
    return "\(names(handlers.knowing)) have one\(lacking)"
  }

  private func names(_ names: [String]) -> String {
    let rest = names.count - HandlerStatus.nameLimit
    return names.prefix(HandlerStatus.nameLimit).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  private var paused: Reason? {
    guard desk.isPaused else { return nil }
    return Reason(
      hold: "paused", text: "its department is paused", lifts: "`teller resume \(job.department)`")
  }

  /// It may have ended workers, and waits until it can run without others of that sort.
  private var line: Reason? {
    guard job.hold == .suspect else { return nil }
    let place = desk.suspects == 1 ? "is the only one in the line" : "is one of \(desk.suspects) in the line"
    let lifts =
      suspectsAhead.isEmpty
      ? "room in the department, when it is first in line"
      : "the end of these, or ten minutes for those that were running at one death only"
    return Reason(
      hold: "suspect",
      text: "\(deaths), so it runs apart from others that ran when workers died; it \(place) of its department",
      lifts: lifts, jobs: suspectsAhead.isEmpty ? nil : Explanation.page(suspectsAhead))
  }

  /// The turn of such a job has come.
  private var suspicion: Reason? {
    guard live?.progress.isSuspect == true else { return nil }
    return Reason(
      hold: "suspect", text: "\(deaths): of the jobs of that sort in its department it is the one that is released",
      lifts: "its own end")
  }

  private var deaths: String { "\(job.progress.deaths) workers died or were lost while it ran" }

  private var order: Reason? {
    guard desk.isOrdered, let ahead, ahead != job.id else { return nil }
    return Reason(
      hold: "order", text: "its department serves one job after the other, and another one goes first",
      lifts: "the end of that one and of all others before it; `teller explain \(ahead)` tells why it takes time",
      jobs: [ahead])
  }

  private var epoch: Reason? {
    guard let quietUntil else { return nil }
    return Reason(
      hold: "epoch",
      text:
        "the ledger was rolled back, and workers may still run what it has forgotten: nothing is released or claimed",
      lifts: "a lease's time, in which all of them are heard", until: quietUntil)
  }

  private var clearing: Reason? {
    // What is released is held back by nobody.
    guard let operation, operation.cancelsIt || job.progress.state == .held else { return nil }
    let text =
      operation.cancelsIt
      ? "operation \(operation.id) is about to cancel it"
      : "operation \(operation.id) cancels what its department held before, and nothing is released meanwhile"
    return Reason(
      hold: "operation", text: text,
      lifts: operation.cancelsIt
        ? nil : "the end of that operation; `teller operation \(operation.id)` tells how far it has come",
      since: operation.since)
  }

  private var room: Reason {
    if desk.isOrdered { return turn }
    let (inUse, limit) = (desk.window.inUse, desk.window.limit)
    let released = inUse == 1 ? "1 job of its department is released" : "\(inUse) jobs of its department are released"
    let void = desk.void > 0 ? " (\(desk.void) cancelled or moved, and not yet out of the queue)" : ""
    let ready = desk.readyCount == 1 ? "is the only one that is" : "is one of \(desk.readyCount) that are"
    let line = "it \(ready) ready to follow, by priority and by how long they have waited"
    guard desk.cap != nil else {
      let full = "the window of \(limit) and the reserve of its priority are full"
      return Reason(
        hold: "window", text: "\(released)\(void), and \(full); \(line)",
        lifts: "the end of others, when it is first in line, or a larger `window:`")
    }
    return Reason(
      hold: "cap", text: "\(released)\(void), and at most \(limit) may run at once; \(line)",
      lifts: "the end of others, when it is first in line, or a larger `cap:`")
  }

  /// Of the job that an ordered department serves next.
  private var turn: Reason {
    guard desk.void > 0 else {
      return Reason(hold: "window", text: "it is the next one of its department, and about to be released")
    }
    return Reason(
      hold: "window",
      text: "it is the next one of its department, but one that was cancelled or moved is still in the queue, or runs",
      lifts: tellers > 0
        ? "a worker that takes that one from the queue, or has it ended"
        : "a worker with tellers for \"\(job.department)\", which takes that one from the queue",
      jobs: Explanation.page(void))
  }

  // MARK: Released

  private var waits: [Reason] {
    // What is not in its queue is not published before the department is back.
    if let stranded { return live?.isConfirmed == true ? [stranded] + inQueue : [stranded] }
    return inQueue
  }

  private var claim: Reason {
    let missing = awaited.isEmpty ? "" : " (missing: \(awaited.joined(separator: ", ")))"
    return Reason(
      hold: "claim", text: "\(claimCause), so all workers are asked whether one of them has it",
      lifts: "their answers\(missing), or the lease of one that is silent")
  }

  /// Why it is asked who has the job.
  private var claimCause: String {
    guard isClaimedByCoordinator else { return "a worker got its message a second time" }
    return switch change {
    case .rerank: "it is to be moved"
    case .tooLate: "it was not begun in time, and is to end"
    case .age: "it has waited for long, and is to go before others"
    case nil: "its message may be lost"
    }
  }

  private var inQueue: [Reason] {
    if isClaimed { return [claim] }
    if desk.isPaused { return [paused].compactMap { $0 } }
    guard tellers > 0 else {
      return [
        Reason(
          hold: "no_teller",
          text: "it is in the queue of department \"\(job.department)\", for which no worker has a teller",
          lifts: "a worker with tellers for \"\(job.department)\"", since: live?.releasedAt)
      ]
    }
    if live?.isBeside == true {
      return [handlers.knowing.isEmpty ? noHandler : inKindQueue]
    }
    let place = live?.isConfirmed == false ? "it is on its way into" : "it is in"
    return [
      Reason(
        hold: "queue",
        text:
          "\(place) the queue of department \"\(job.department)\" with priority \(live?.releasePriority ?? job.priority)",
        lifts: "a free teller (there \(tellers == 1 ? "is 1" : "are \(tellers)")), when it is first in line",
        since: live?.releasedAt)
    ]
  }

  private var inKindQueue: Reason {
    Reason(
      hold: "queue",
      text: "it is in the queue of kind \"\(job.kind)\", for which not all workers have a handler: \(split)",
      lifts: "a free teller of the former, when it is first in line", since: live?.releasedAt)
  }

  private var running: Reason {
    let place = worker.map { " on \($0.name)" } ?? ""
    let text = "attempt \(job.progress.attempt) of \(job.progress.maxAttempts) runs\(place)"
    guard worker?.running.isStuck == true else {
      let limit = job.timeout.map { "; its run limit is \($0.inWords)" } ?? ""
      return Reason(
        hold: "running", text: text + limit, lifts: "its own end, or `teller cancel \(job.id)`", since: live?.run?.since
      )
    }
    let limit = job.timeout.map { "its run limit of \($0.inWords)" } ?? "its run limit"
    return Reason(
      hold: "stuck", text: "\(text); \(limit) has passed, and its handler does not react",
      lifts: "the handler's own end, or the end of its worker's process", since: live?.run?.since)
  }
}
