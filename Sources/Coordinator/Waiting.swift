import JobModel
import Ledger
import Logging

/// Jobs that wait for jobs.
extension Bookkeeper {
  /// How far a circle of jobs that wait for each other is looked for.
  static let circleLimit = 1_000
  /// How many dependents one turn settles.
  static let dependentLimit = 256

  /// What a new job has to wait for, and the first of its dependencies that has failed already.
  struct OpenDependencies {
    var open: [OpenDependency] = []
    var failed: (job: JobID, state: JobState)?
  }

  func openDependencies(
    of submission: Submission, in department: Department, _ turn: Turn
  ) throws -> OpenDependencies {
    var result = OpenDependencies()
    guard let after = submission.after, !after.jobs.isEmpty else { return result }
    try refuseWithinOrder(submission, department)
    let states = try turn.ledger.states(of: after.jobs)
    for job in after.jobs {
      switch states[job] {
      case .succeeded: continue
      case .failed?: result.failed = result.failed ?? (job, .failed)
      case .cancelled?: result.failed = result.failed ?? (job, .cancelled)
      case let state: result.open.append(OpenDependency(on: job, isKnown: state != nil))
      }
    }
    try refuseCircle(submission, result.open, turn)
    return result
  }

  /// An ordered department lets nothing pass the job that comes next: if that one waited for a job behind it, both would
  /// wait for ever.
  private func refuseWithinOrder(_ submission: Submission, _ department: Department) throws {
    guard self[desk: department].isOrdered else { return }
    let message = "department \"\(department)\" is ordered: its jobs wait for those before them, and for no others"
    throw Rejection(
      JobFailure(code: "bad_after", message: message), reply: submission.reply, messageID: submission.id.description)
  }

  /// Jobs that wait for each other would wait for ever. Only a job that others wait for already can close a circle.
  private func refuseCircle(
    _ submission: Submission, _ open: [OpenDependency], _ turn: Turn
  ) throws {
    guard !open.isEmpty, waitedFor.mayContain(submission.id), try turn.ledger.hasDependents(submission.id) else {
      return
    }
    for dependency in open {
      let message: String
      switch try turn.ledger.dependsOn(dependency.on, submission.id, limit: Bookkeeper.circleLimit) {
      case false?: continue
      case true?: message = "job \(dependency.on), which it is to wait for, waits for it"
      case nil:
        message =
          "more than \(Bookkeeper.circleLimit) jobs come before job \(dependency.on), which it is to wait for: "
          + "nobody can tell whether one of them waits for it; submit it before those that wait for it"
      }
      throw Rejection(
        JobFailure(code: "bad_after", message: message), reply: submission.reply,
        messageID: submission.id.description)
    }
  }

  /// Remembers that others may wait for a job that has ended; they are looked for in turns of their own.
  func noteEnd(of job: JobID, _ state: JobState) {
    if waitedFor.mayContain(job) { chores.settle(job, state) }
  }

  /// Tells so many jobs that one which they wait for has ended.
  ///
  /// - Returns: how many; fewer than `limit` when those were all.
  func settleDependents(
    of job: JobID, _ state: JobState, atMost limit: Int, _ turn: Turn
  ) throws -> Int {
    let dependents = try turn.ledger.dependents(of: job, limit: limit)
    for dependent in dependents {
      let left = try turn.ledger.settle(dependencyOf: dependent.job.number, on: job)
      waitedFor.remove(job)
      if state != .succeeded {
        try end(dependent.job, dependent.rule.event(.dependency(job, state)), turn)
      } else if left == 0, dependent.job.notBefore == nil {
        self[desk: dependent.job.department].unhold(.jobs, dependent.job.priority)
        self[desk: dependent.job.department].hold(.room, dependent.job.priority)
        unfilled.insert(dependent.job.department)
      }
    }
    return dependents.count
  }

  /// A job has ended that waited itself: its dependencies are nobody's concern any more.
  func forgetDependencies(of job: Concluded, _ turn: Turn) throws {
    guard waitedFor.count > 0, job.openDependencies > 0 else { return }
    for dependency in try turn.ledger.removeDependencies(of: job.number) { waitedFor.remove(dependency) }
  }

  /// Ends the jobs that wait for one that nobody has submitted for a long time, in all of which somebody could have.
  func endUnknownDependencies() throws(LedgerError) {
    guard waitedFor.count > 0, let time = served.moment(before: Dependencies.unknownLimit) else { return }
    try turn { turn in
      let overdue = try turn.ledger.unknownDependencies(since: time, limit: Bookkeeper.dependentLimit)
      for dependency in overdue {
        guard try turn.ledger.hasOutcome(dependency.job.id) == false else { continue }
        try end(dependency.job, dependency.rule.event(.unknownDependency(dependency.on)), turn)
      }
      try fill(turn)
    }
  }
}

extension Dependencies.Rule {
  /// What becomes of a job when one that it waits for does not succeed.
  func event(_ failure: JobFailure) -> JobTransition {
    switch self {
    case .fail: .failed(failure)
    case .cancel: .cancelled(failure)
    }
  }
}
