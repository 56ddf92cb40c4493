import Decisions
import JobModel
import Ledger

/// Jobs that wait for jobs: for which ones, and what becomes of them when one of those ends.
struct Resolving {
  let departments: Departments
  let dependents: Dependents
  let ending: Ending
  let time: LedgerTime

  /// How far a circle of jobs that wait for each other is looked for.
  static let circleLimit = 1_000
  /// How many dependents one turn tells.
  static let limit = 256
  /// The most jobs that have ended whose dependents one turn looks for.
  private static let endedLimit = 256

  /// The jobs that a new one has to wait for, and the first of its dependencies that has failed already.
  struct OpenDependencies {
    var open: [Dependency] = []
    var failed: (job: JobID, state: JobState)?
  }

  func openDependencies(
    of submission: Submission, in department: Department, _ turn: Turn
  ) throws -> OpenDependencies {
    var result = OpenDependencies()
    guard let after = submission.after, !after.jobs.isEmpty else { return result }
    // An ordered department lets nothing pass the job that comes next: if that one waited for a job behind it, both
    // would wait for ever.
    if departments[department].isOrdered {
      let message = "department \"\(department)\" is ordered: its jobs wait for those before them, and for no others"
      throw Rejection(badAfter: message, submission)
    }
    let states = try turn.ledger.states(of: after.jobs)
    for job in after.jobs {
      switch try states[job] ?? turn.ledger.removedState(of: job) {
      case .succeeded: continue
      case .failed?: result.failed = result.failed ?? (job, .failed)
      case .cancelled?: result.failed = result.failed ?? (job, .cancelled)
      case nil where submission.comesTooLate(after: job, at: time.clock.wallTime(of: time.now)):
        throw Rejection(unknownDependency: job, submission)
      case let state: result.open.append(Dependency(on: job, rule: after.rule, isKnown: state != nil))
      }
    }
    try refuseCircle(submission, result.open, turn)
    return result
  }

  /// Jobs that wait for each other would wait for ever. Only a job that others wait for already can close a circle.
  private func refuseCircle(_ submission: Submission, _ open: [Dependency], _ turn: Turn) throws {
    guard !open.isEmpty, dependents.waitedFor.mayContain(submission.id),
      try turn.ledger.hasDependents(submission.id)
    else { return }
    for dependency in open {
      switch try turn.ledger.dependsOn(dependency.on, submission.id, limit: Resolving.circleLimit) {
      case false?: continue
      case true?:
        throw Rejection(
          badAfter: "job \(dependency.on), which it is to wait for, waits for it", submission)
      case nil:
        let message =
          "more than \(Resolving.circleLimit) jobs come before job \(dependency.on), which it is to wait for: "
          + "nobody can tell whether one of them waits for it; submit it before those that wait for it"
        throw Rejection(badAfter: message, submission)
      }
    }
  }

  /// Tells the next jobs that one which they wait for has ended.
  func resolveNext(_ turn: Turn) throws {
    var left = Resolving.limit
    for _ in 0..<Resolving.endedLimit {
      guard left > 0, let next = dependents.ended.first else { break }
      let count = try resolve(next, atMost: left, turn)
      if count < left { dependents.removeFirst() }
      left -= count
    }
  }

  /// - Returns: How many were told; fewer than `limit` when those were all.
  private func resolve(_ ended: Dependents.Ended, atMost limit: Int, _ turn: Turn) throws -> Int {
    let waiting = try turn.ledger.dependents(of: ended.job, limit: limit)
    for dependent in waiting {
      let (job, department) = (dependent.job, dependent.job.department)
      let left = try turn.ledger.endDependency(of: job.number, on: ended.job)
      dependents.resolved(ended.job)
      if ended.state != .succeeded {
        try ending.endJob(job, dependent.rule.transition(.dependency(ended.job, ended.state)), turn)
      } else if left == 0, job.notBefore == nil {
        departments.rehold(from: .jobs, to: .room, job.priority, in: department)
        departments.mayFill(department)
      }
    }
    return waiting.count
  }

  /// Ends the jobs that wait for one that nobody has submitted for a long time, in all of which somebody could have.
  func endUnknown(_ turn: Turn) throws {
    guard let time = time.served.moment(before: Dependencies.unknownLimit) else { return }
    for dependency in try turn.ledger.unknownDependencies(since: time, limit: Resolving.limit) {
      guard try turn.ledger.hasOutcome(dependency.job.id) == false else { continue }
      try ending.endJob(dependency.job, dependency.rule.transition(.unknownDependency(dependency.on)), turn)
    }
  }
}

extension Submission {
  /// Whether a job that the ledger does not know is not to be waited for: its id tells that it was made long before this
  /// submission, so that it has had its time to be submitted. It was removed, or will never come. An id that tells no
  /// time is waited for.
  fileprivate func comesTooLate(after job: JobID, at now: Timestamp) -> Bool {
    guard let made = job.time else { return false }
    return made + Dependencies.unknownLimit < submittedAt ?? id.time ?? now
  }
}

extension Rejection {
  fileprivate init(unknownDependency job: JobID, _ submission: Submission) {
    let message = """
      job \(job), which it is to wait for, is not in the ledger: its record was removed, or it was never submitted, and \
      its id was made more than \(Dependencies.unknownLimit.inWords) before this submission
      """
    self.init(
      JobFailure(code: JobFailure.Code.unknownDependency, message: message), reply: submission.reply,
      messageID: submission.id.description)
  }

  fileprivate init(badAfter message: String, _ submission: Submission) {
    self.init(
      JobFailure(code: JobFailure.Code.badAfter, message: message), reply: submission.reply,
      messageID: submission.id.description)
  }
}

extension DependencyRule {
  /// What becomes of a job when one that it waits for does not succeed.
  func transition(_ failure: JobFailure) -> JobTransition {
    switch self {
    case .fail: .failed(failure)
    case .cancel: .cancelled(failure)
    }
  }
}
