import JobModel

/// What one turn has done, for the metrics: they count it when the turn is recorded.
struct TurnTally {
  /// The same of the jobs of one kind in one department.
  struct Jobs {
    let labels: JobLabels
    var accepted = 0
    var ended: [JobState: Int] = [:]
    var failedAttempts = 0
    var retried = 0
    /// How many more run than before.
    var running = 0
    /// How long each job that has ended waited for its last attempt, and how long that ran.
    var waits: [Duration] = []
    var runs: [Duration] = []
  }

  private(set) var jobs: [Jobs] = []
  /// The submissions that were refused, by the code of the refusal.
  private(set) var rejected: [String: Int] = [:]
  var ignoredReports = 0
  var lostLeases = 0
  /// The queue of each release that was in no queue any more, and was made again or given up.
  var lostReleases: [JobQueue] = []

  private var places: [JobLabels: Int] = [:]
  private var last = 0

  /// The tally of the jobs like this one. Most often that was asked for just before: then nothing is hashed.
  subscript(job: JobIdentity) -> Jobs {
    mutating get { jobs[place(of: job)] }
    _modify { yield &jobs[place(of: job)] }
  }

  mutating func reject(_ code: String) { rejected[code, default: 0] += 1 }

  private mutating func place(of job: JobIdentity) -> Int {
    if last < jobs.count, jobs[last].labels.kind == job.kind, jobs[last].labels.department == job.department {
      return last
    }
    let labels = JobLabels(job.kind, in: job.department)
    last = places[labels] ?? jobs.count
    if last == jobs.count {
      places[labels] = last
      jobs.append(Jobs(labels: labels))
    }
    return last
  }
}

extension TurnTally {
  /// A job has another state.
  mutating func count(_ change: JobChange) { self[change.job].count(from: change.from, to: change.to) }

  /// An attempt of a job failed.
  mutating func countFailure(of job: JobIdentity, isTriedAgain: Bool) {
    self[job].failedAttempts += 1
    if isTriedAgain { self[job].retried += 1 }
  }

  /// The last attempt of a job that has ended.
  mutating func timeEnd(of job: JobIdentity, acceptedAt: Timestamp, _ run: LastRun) {
    if let startedAt = run.startedAt {
      self[job].waits.append(.milliseconds(max(0, startedAt.milliseconds(since: acceptedAt))))
    }
    if let ran = run.ran { self[job].runs.append(ran) }
  }
}

extension TurnTally.Jobs {
  fileprivate mutating func count(from before: JobState?, to after: JobState) {
    if before == nil { accepted += 1 }
    if before == .running { running -= 1 }
    if after == .running { running += 1 }
    if after.isFinal { ended[after, default: 0] += 1 }
  }
}
