import JobModel

// The reasons of a job that is released.
extension Explanation {
  var waits: [Reason] {
    // What is not in its queue is not published before the department is back.
    if let stranded { return live?.isConfirmed == true ? [stranded] + inQueue : [stranded] }
    return inQueue
  }

  var claim: Reason {
    let missing = awaited.isEmpty ? "" : " (missing: \(awaited.joined(separator: ", ")))"
    return Reason(
      hold: .claim, text: "\(claimCause), so all workers are asked whether one of them has it",
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
    if books.isPaused { return [paused].compactMap { $0 } }
    guard tellers > 0 else {
      return [
        Reason(
          hold: .noTeller,
          text: "it is in the queue of department \"\(job.department)\", and no worker takes jobs of it",
          lifts: "a worker with tellers for \"\(job.department)\"", since: live?.releasedAt)
      ]
    }
    if let holder { return [inHand(of: holder)] + [stuckTellers].compactMap { $0 } }
    if let stuckTellers { return [stuckTellers] }
    if live?.place.isBeside == true {
      return [handlers.knowing.isEmpty ? noHandler : inKindQueue]
    }
    let place = live?.isConfirmed == false ? "it is on its way into" : "it is in"
    return [
      Reason(
        hold: .queue,
        text:
          "\(place) the queue of department \"\(job.department)\" with priority \(live?.releasePriority ?? job.priority)",
        lifts:
          "a free teller (there \(tellers == 1 ? "is 1" : "are \(tellers)")\(stuckOnes)), when it is first in line",
        since: live?.releasedAt)
    ]
  }

  private var stuckOnes: String { stuck.count == 0 ? "" : ", \(stuck.count) of them stuck" }

  /// Nobody is left who would begin it: the handlers were told to stop and have not.
  var stuckTellers: Reason? {
    let isBeside = live?.place.isBeside ?? (beside != nil)
    let served = isBeside ? "kind \"\(job.kind)\"" : "department \"\(job.department)\""
    let tellers = stuck.tellers == 1 ? "the teller for \(served) is" : "all \(stuck.tellers) tellers for \(served) are"
    guard let which = stuck.areAll ? "\(tellers) stuck" : takenPlaces else { return nil }
    return Reason(
      hold: .stuck, text: "\(which): their handlers were told to stop and have not",
      lifts: "the end of such a handler, or of the process of its worker\(stuckWorkers)"
        + (stuck.areAll ? "; or another worker" : ""),
      since: live?.releasedAt, jobs: stuck.jobs.isEmpty ? nil : Explanation.page(stuck.jobs),
      worker: stuck.workers.count == 1 ? stuck.workers.first : nil)
  }

  /// The places that jobs keep whose handlers do not end; nil: others are free, or the job has its own.
  private var takenPlaces: String? {
    guard live == nil, stuck.places > 0 else { return nil }
    if books.isOrdered { return "a job that goes first does not end" }
    return books.cap.flatMap { stuck.places >= $0 ? "jobs that do not end have all places of \"cap: \($0)\"" : nil }
  }

  private var stuckWorkers: String { stuck.workers.isEmpty ? "" : ": \(names(stuck.workers))" }

  /// A worker gives back what waits for too long: so it is no matter which worker has it.
  private func inHand(of worker: String) -> Reason {
    Reason(
      hold: .queue, text: "it is in the hand of worker \(worker), and has not begun there",
      lifts: "a free teller of department \"\(job.department)\" there, or the answer to the worker's claim",
      since: live?.releasedAt,
      worker: worker)
  }

  private var inKindQueue: Reason {
    Reason(
      hold: .queue,
      text: "it is in the queue of kind \"\(job.kind)\", for which not all workers have a handler: \(split)",
      lifts: "a free teller of the former\(stuckOnes), when it is first in line", since: live?.releasedAt)
  }

  var running: Reason {
    let place = worker.map { " on \($0.name)" } ?? ""
    let text = "attempt \(job.progress.attempt) of \(job.progress.maxAttempts) runs\(place)"
    guard worker?.running.isStuck == true else {
      let limit = job.timeout.map { "; its timeout is \($0.inWords)" } ?? ""
      return Reason(
        hold: .running, text: text + limit, lifts: "its own end, or `teller cancel \(job.id)`",
        since: live?.run?.since, worker: worker?.name)
    }
    let limit = job.timeout.map { "its timeout of \($0.inWords)" } ?? "its timeout"
    return Reason(
      hold: .stuck, text: "\(text); \(limit) has passed, and its handler does not react",
      lifts: "the handler's own end, or the end of its worker's process",
      since: live?.run?.since, worker: worker?.name)
  }
}
