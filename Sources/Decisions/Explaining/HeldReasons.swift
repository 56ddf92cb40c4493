import JobModel

// The reasons of a job that is held.
extension Explanation {
  var holds: [Reason] {
    let own = [stranded, time, after, unsubmitted, handler, line, paused, gate, order].compactMap { $0 }
    let reasons = own + [epoch, clearing].compactMap { $0 }
    if reasons.isEmpty { return [room] + [stuckTellers].compactMap { $0 } }
    let waitsForHandler = job.hold == .handler && !handlers.knowing.isEmpty
    return reasons + (waitsForHandler ? [stuckTellers].compactMap { $0 } : [])
  }

  var stranded: Reason? {
    if let refused {
      return Reason(
        hold: .department, text: "the broker refuses the queue of its department: \(refused)",
        lifts: "the removal of that cause; the coordinator tries again by itself")
    }
    guard !isConfigured else { return nil }
    return Reason(
      hold: .department, text: "its department \"\(job.department)\" is not in the coordinator's teller.yaml",
      lifts: "name the department there again, and start the coordinator anew")
  }

  private var time: Reason? {
    guard let time = job.notBefore else { return nil }
    if job.isRestored { return restored(time) }
    if let snoozed = lastAttempt, snoozed.end == .snoozed {
      return Reason(
        hold: .snooze,
        text: "its handler has put attempt \(snoozed.number) off; it has put the job off \(unused.snoozes) of at most "
          + "\(SnoozeLimits.ofJob) times", since: snoozed.endedAt, until: time)
    }
    if let lost = lastAttempt, lost.failure?.code == JobFailure.Code.unreported {
      return Reason(
        hold: .retry,
        text: "its message left the queue \(unused.losses) of at most \(UnusedAttempts.lossLimit) times, and no worker "
          + "said anything of it that can be used; it is released again after the back-off",
        since: lost.endedAt, until: time)
    }
    guard job.progress.attempt > 1 else {
      return Reason(hold: .schedule, text: "it is not to run before its time", until: time)
    }
    let cause = lastAttempt?.failure.map { " with \($0.code): \($0.message)" } ?? ""
    let attempt = "attempt \(job.progress.attempt - 1) of \(job.progress.maxAttempts) failed\(cause)"
    return Reason(
      hold: .retry, text: "\(attempt); the next one is after the back-off", since: lastAttempt?.endedAt, until: time)
  }

  private func restored(_ time: Timestamp) -> Reason {
    let late = job.startBy.map { $0 <= now } == true ? "; its latest start has passed, so that it fails then" : ""
    return Reason(
      hold: .restored,
      text: "its time came between the backup and the restore of the ledger, so that it may have run already",
      lifts: "`teller restore accept`, which releases it\(late); or `teller restore drop`, which cancels it",
      since: time)
  }

  private var after: Reason? {
    guard job.openDependencies > 0 else { return nil }
    let count = job.openDependencies
    let end = dependencyRule == .fail ? "this one fails" : "this one is cancelled"
    return Reason(
      hold: .after, text: "it waits for \(count) other \(count == 1 ? "job" : "jobs")",
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
      hold: .after,
      text: "\(text) not submitted yet; unless that happens in time, this one \(end) with unknown_dependency",
      lifts: "\(unknown.count == 1 ? "its" : "their") submission", until: unknownUntil,
      jobs: Explanation.page(unknown))
  }

  static func page(_ jobs: [JobID]) -> [JobID] { Array(jobs.prefix(JobExplanation.jobLimit)) }

  private var handler: Reason? {
    guard job.hold == .handler else { return nil }
    if handlers.knowing.isEmpty { return noHandler }
    return beside.map(partOfWindow) ?? noKindQueue
  }

  /// The kind has its whole part of the department's window, or other jobs fill the window.
  private func partOfWindow(_ beside: (places: Int, limit: Int)) -> Reason {
    let rest = beside.places < beside.limit ? "\(beside.places), and the window is full" : "\(beside.places)"
    return Reason(
      hold: .handler,
      text: "not all workers of department \"\(job.department)\" have a handler for kind \"\(job.kind)\" "
        + "(\(split)), so its jobs may have \(beside.limit) of the department's "
        + "\(books.window.limit) places, and have \(rest)",
      lifts: "the end of others, when it is first in line, or a handler for it in every worker")
  }

  /// Workers with a handler are there, but nothing goes into the queue of its kind at this moment.
  private var noKindQueue: Reason {
    Reason(
      hold: .handler,
      text: "not all workers of department \"\(job.department)\" have a handler for kind \"\(job.kind)\" "
        + "(\(split)), and the queue of that kind is being removed or made",
      lifts: "the end of that")
  }

  /// Also of a job that lies in the queue of its kind, and whose workers are gone.
  var noHandler: Reason {
    let workers = handlers.lacking.isEmpty ? "" : " (asked: \(names(handlers.lacking)))"
    let meant = suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
    return Reason(
      hold: .handler,
      text: "no worker of department \"\(job.department)\" has a handler for kind \"\(job.kind)\"\(workers)\(meant)",
      lifts: "a worker with a handler for it; no attempt is counted until then", since: live?.releasedAt)
  }

  /// For example "floor-1 have one, floor-2, floor-3 do not".
  var split: String {
    let lacking = handlers.lacking.isEmpty ? "" : ", \(names(handlers.lacking)) do not"
    return "\(names(handlers.knowing)) have one\(lacking)"
  }

  func names(_ names: [String]) -> String {
    let rest = names.count - HandlerMap.nameLimit
    return names.prefix(HandlerMap.nameLimit).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  var paused: Reason? {
    guard books.isPaused else { return nil }
    return Reason(
      hold: .paused, text: "its department is paused", lifts: "`teller resume \(job.department)`")
  }

  /// The job may have ended workers, and waits until it can run without other such jobs.
  private var line: Reason? {
    guard job.hold == .suspect else { return nil }
    let place = books.suspects == 1 ? "is the only one in the line" : "is one of \(books.suspects) in the line"
    let lifts =
      suspectsAhead.isEmpty
      ? "room in the department, when it is first in line"
      : "the end of these, or ten minutes for those that were running at one death only"
    return Reason(
      hold: .suspect,
      text: "\(deaths), so it runs apart from others that ran when workers died; it \(place) of its department",
      lifts: lifts, jobs: suspectsAhead.isEmpty ? nil : Explanation.page(suspectsAhead))
  }

  /// The turn of such a job has come.
  var suspicion: Reason? {
    guard live?.progress.isSuspect == true else { return nil }
    return Reason(
      hold: .suspect, text: "\(deaths): of the jobs of that sort in its department it is the one that is released",
      lifts: "its own end")
  }

  var deaths: String { "\(job.progress.deaths) workers died or were lost while it ran" }

  private var order: Reason? {
    guard books.isOrdered, let ahead, ahead != job.id else { return nil }
    return Reason(
      hold: .order, text: "its department serves one job after the other, and another one goes first",
      lifts: "the end of that one and of all others before it; `teller explain \(ahead)` tells why it takes time",
      jobs: [ahead])
  }

  var epoch: Reason? {
    guard let quietUntil else { return nil }
    return Reason(
      hold: .epoch,
      text:
        "the ledger was rolled back, and workers may still run what it has forgotten: nothing is released or claimed",
      lifts: "a lease's time, in which all of them are heard", until: quietUntil)
  }

  var clearing: Reason? {
    // What is released is held back by nobody.
    guard let operation, operation.cancelsIt || job.progress.state == .held else { return nil }
    let text =
      operation.cancelsIt
      ? "operation \(operation.id) is about to cancel it"
      : "operation \(operation.id) cancels what its department held before, and nothing is released meanwhile"
    return Reason(
      hold: .operation, text: text,
      lifts: operation.cancelsIt
        ? nil : "the end of that operation; `teller operation \(operation.id)` tells how far it has come",
      since: operation.since)
  }

  private var room: Reason {
    if books.isOrdered { return turn }
    let (inUse, limit) = (books.window.inUse, books.window.limit)
    let released = inUse == 1 ? "1 job of its department is released" : "\(inUse) jobs of its department are released"
    let void = books.void > 0 ? " (\(books.void) cancelled or moved, and not yet out of the queue)" : ""
    let ready = books.readyCount == 1 ? "is the only one that is" : "is one of \(books.readyCount) that are"
    let line = "it \(ready) ready to follow, by priority and by how long they have waited"
    guard books.cap != nil else {
      let full = "the window of \(limit) and the reserve of its priority are full"
      return Reason(
        hold: .window, text: "\(released)\(void), and \(full); \(line)",
        lifts: "the end of others, when it is first in line, or a larger `window:`")
    }
    return Reason(
      hold: .cap, text: "\(released)\(void), and at most \(limit) may run at once; \(line)",
      lifts: "the end of others, when it is first in line, or a larger `cap:`")
  }

  /// The reason of the job that an ordered department serves next.
  var turn: Reason {
    guard books.void > 0 else {
      return Reason(hold: .window, text: "it is the next one of its department, and about to be released")
    }
    return Reason(
      hold: .window,
      text: "it is the next one of its department, but one that was cancelled or moved is still in the queue, or runs",
      lifts: tellers > 0
        ? "a worker that takes that one from the queue, or has it ended"
        : "a worker with tellers for \"\(job.department)\", which takes that one from the queue",
      jobs: Explanation.page(void))
  }
}
