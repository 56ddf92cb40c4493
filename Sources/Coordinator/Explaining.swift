import JobModel
import JobTransport
import Ledger

/// Why a job is where it is: its own row, and what the memory knows of its department and its workers.
extension Bookkeeper {
  /// Nil when there is no such job.
  func explain(_ id: JobID) async throws(LedgerError) -> ExplainDocument? {
    let read = try await ledger.read { queries -> (job: Job, dependencies: [JobID], failure: JobFailure?)? in
      guard let job = try queries.job(id) else { return nil }
      let open =
        job.openDependencies == 0 ? [] : try queries.dependencies(of: job.number, limit: ExplainDocument.jobLimit)
      let isRetry = job.progress.state == .held && job.progress.attempt > 1
      return (job, open.map(\.on), isRetry ? try queries.attempts(of: id).last?.failure : nil)
    }
    guard let read else { return nil }
    let live = released[id]
    let first = isOrderedHeld(read.job) ? try await firstInOrder(of: read.job.department) : nil
    var explanation = Explanation(
      job: read.job, live: live, desk: self[desk: read.job.department], now: .now(),
      isConfigured: configuration.departments[read.job.department] != nil)
    explanation.dependencies = read.dependencies
    explanation.lastFailure = read.failure
    explanation.tellers = tellers(of: read.job.department)
    explanation.ahead = first
    explanation.quietUntil = isQuiet ? quietUntil : nil
    explanation.isBeingCleared = isBeingCleared(read.job.department)
    explanation.isClaimedByCoordinator = live.map { claims.isClaimedByCoordinator($0.release) } ?? false
    explanation.isClaimed = live.map { claims.isOpen($0.release) } ?? false
    explanation.worker = live.flatMap { worker(of: $0.release) }
    return explanation.document
  }

  private func isOrderedHeld(_ job: Job) -> Bool { self[desk: job.department].isOrdered && job.progress.state == .held }

  /// What an ordered department serves before all others.
  private func firstInOrder(of department: Department) async throws(LedgerError) -> JobID? {
    if let live = released.values.first(where: { $0.department == department }) { return live.id }
    return try await ledger.read { try $0.firstInOrder(of: department) }
  }

  private func worker(of release: ReleaseID) -> (name: String, running: RunningRelease)? {
    for entry in attendance.workers.values {
      if let running = entry.running.first(where: { $0.release == release && counts($0) }) {
        return (entry.name, running)
      }
    }
    return nil
  }
}

/// What is known of a job at one moment, and the reasons that follow from it. Pure.
struct Explanation {
  var job: Job
  var live: LiveJob?
  var desk: Desk
  var now: Timestamp
  /// Whether its department is in the configuration.
  var isConfigured: Bool
  /// The first of the jobs that it waits for.
  var dependencies: [JobID] = []
  /// Of a job that is tried again: why it is.
  var lastFailure: JobFailure?
  var tellers = 0
  /// In an ordered department: what is served first.
  var ahead: JobID?
  /// Nothing is released until then.
  var quietUntil: Timestamp?
  /// A command cancels all that its department holds.
  var isBeingCleared = false
  var isClaimed = false
  /// It asks the workers of its own accord, and no worker has its message in hand.
  var isClaimedByCoordinator = false
  var worker: (name: String, running: RunningRelease)?

  init(job: Job, live: LiveJob?, desk: Desk, now: Timestamp, isConfigured: Bool) {
    (self.job, self.live, self.desk, self.now, self.isConfigured) = (job, live, desk, now, isConfigured)
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
    case .queued: waits
    case .running: [running]
    case .succeeded, .failed, .cancelled: [ended]
    }
  }

  private var ended: Reason {
    switch job.settlement {
    case .replayed(let replay): return Reason(hold: "ended", text: "\(end); it was submitted again as \(replay)")
    case .dropped: return Reason(hold: "ended", text: "\(end); it was dropped, and nothing is to be done")
    case nil:
      let isFailed = job.progress.state == .failed
      return Reason(
        hold: "ended", text: end, lifts: isFailed ? "`teller replay \(job.id)`, which submits it again" : nil)
    }
  }

  /// Of a job that somebody cancelled: its message says that in full.
  private static let cancelledCode = JobFailure.cancelled(by: "somebody").code

  private var end: String {
    switch job.outcome {
    case .failed(let failure)?: "it has failed with \(failure.code): \(failure.message)"
    case .cancelled(let failure)? where failure.code == Explanation.cancelledCode: failure.message
    case .cancelled(let failure)?: "it was cancelled: \(failure.message)"
    case .succeeded?, nil: "it has \(job.progress.state)"
    }
  }

  // MARK: Held

  private var holds: [Reason] {
    let reasons = [stranded, time, after, paused, order].compactMap { $0 }
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
    let cause = lastFailure.map { " with \($0.code): \($0.message)" } ?? ""
    let attempt = "attempt \(job.progress.attempt - 1) of \(job.progress.maxAttempts) failed\(cause)"
    return Reason(hold: "retry", text: "\(attempt); the next one is after the back-off", until: time)
  }

  private var after: Reason? {
    guard job.openDependencies > 0 else { return nil }
    let count = job.openDependencies
    return Reason(
      hold: "after", text: "it waits for \(count) other \(count == 1 ? "job" : "jobs")",
      lifts: "the success of \(count == 1 ? "that job" : "all of them")", jobs: dependencies)
  }

  private var paused: Reason? {
    guard desk.isPaused else { return nil }
    return Reason(
      hold: "paused", text: "its department is paused", lifts: "`teller resume \(job.department)`")
  }

  private var order: Reason? {
    guard desk.isOrdered, let ahead, ahead != job.id else { return nil }
    return Reason(
      hold: "order", text: "its department serves one job after the other, and another one goes first",
      lifts: "the end of that one and of all others before it", jobs: [ahead])
  }

  private var room: Reason {
    if let quietUntil {
      return Reason(
        hold: "epoch", text: "the ledger was rolled back, and workers may still run what it has forgotten",
        lifts: "a lease's time, in which all of them are heard", until: quietUntil)
    }
    if isBeingCleared {
      return Reason(
        hold: "operation", text: "everything that its department holds is being cancelled",
        lifts: "the end of that operation")
    }
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
        lifts: "the end of others, when it is first in line")
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
      text: "it is the next one of its department, but one that was cancelled or moved is not yet out of the queue",
      lifts: "a worker that takes that one from the queue, or stops running it")
  }

  // MARK: Released

  private var waits: [Reason] {
    // What is not in its queue is not published before the department is back.
    if let stranded { return live?.isConfirmed == true ? [stranded] + inQueue : [stranded] }
    return inQueue
  }

  private var claim: Reason {
    let cause =
      isClaimedByCoordinator
      ? "it is to be moved or ended, or its message may be lost" : "its message was delivered before"
    return Reason(
      hold: "claim", text: "\(cause), so all workers are asked whether one of them has it",
      lifts: "their answers, or the lease of one that is silent")
  }

  private var inQueue: [Reason] {
    if isClaimed { return [claim] }
    if desk.isPaused { return [paused].compactMap { $0 } }
    guard tellers > 0 else {
      return [
        Reason(
          hold: "no_teller",
          text: "it is in the queue of department \"\(job.department)\", for which no worker has a teller",
          lifts: "a worker with tellers for \"\(job.department)\"")
      ]
    }
    let place = live?.isConfirmed == false ? "it is on its way into" : "it is in"
    return [
      Reason(
        hold: "queue",
        text:
          "\(place) the queue of department \"\(job.department)\" with priority \(live?.releasePriority ?? job.priority)",
        lifts: "a free teller (there \(tellers == 1 ? "is 1" : "are \(tellers)"))")
    ]
  }

  private var running: Reason {
    let place = worker.map { " on \($0.name)" } ?? ""
    let text = "attempt \(job.progress.attempt) of \(job.progress.maxAttempts) runs\(place)"
    guard worker?.running.isStuck == true else {
      let limit = job.timeout.map { "; its run limit is \($0.inWords)" } ?? ""
      return Reason(hold: "running", text: text + limit, lifts: "its own end, or `teller cancel \(job.id)`")
    }
    let limit = job.timeout.map { "its run limit of \($0.inWords)" } ?? "its run limit"
    return Reason(
      hold: "stuck", text: "\(text); \(limit) has passed, and its handler does not react",
      lifts: "the handler's own end, or the end of its worker's process")
  }
}
