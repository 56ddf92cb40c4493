package import JobModel

/// The jobs that are released and have not ended, by their ids. A pure value.
package struct LiveJobs: Sendable {
  private var jobs: [JobID: LiveJob] = [:]
  /// The jobs that were running at the death of a worker, or are about to be taken back from a dead worker.
  package private(set) var afterDeath: Set<JobID> = []
  /// How far runs have come, by their jobs. Beside the jobs: few jobs say it, and a job is large enough.
  private var told: [JobID: ToldProgress] = [:]

  package subscript(id: JobID) -> LiveJob? {
    get { jobs[id] }
    set {
      note(newValue?.hasDeath ?? false, of: id)
      if newValue == nil, !told.isEmpty { told[id] = nil }
      jobs[id] = newValue
    }
    // In place: most changes are of one field, and a job is large to copy.
    _modify {
      defer { note(jobs[id]?.hasDeath ?? false, of: id) }
      yield &jobs[id]
    }
  }

  private mutating func note(_ hasDeath: Bool, of id: JobID) {
    if hasDeath { afterDeath.insert(id) } else if !afterDeath.isEmpty { afterDeath.remove(id) }
  }

  package var ids: some Collection<JobID> { jobs.keys }
  package var values: some Collection<LiveJob> { jobs.values }
  package var count: Int { jobs.count }
  package var isEmpty: Bool { jobs.isEmpty }

  /// The job of which this is the current release; nil: there is none, or it has a later release.
  package subscript(release: ReleaseID) -> LiveJob? { isCurrent(release) ? jobs[release.job] : nil }

  /// Whether a release is the current release of its job. This is asked for every job, so it copies no job.
  package func isCurrent(_ release: ReleaseID) -> Bool { jobs[release.job]?.progress.release == release.number }

  /// The state of a job that has no outcome, as people see it: what is not released is held. This copies no job.
  package func state(of id: JobID) -> JobState { jobs[id]?.progress.visibleState ?? .held }

  /// Takes in how far a run has come.
  ///
  /// - Returns: The job; nil: the run is not the present one of any job, and what it says does not count.
  package mutating func note(_ progress: RunProgress, of run: RunningRelease) -> LiveJob? {
    guard let job = self[run.release], job.progress.token == run.token else { return nil }
    told[job.id] = ToldProgress(run: run, progress: progress)
    return job
  }

  /// How far the present run of a job has come; nil: it has not said it.
  package func progress(of id: JobID) -> RunProgress? {
    guard let told = told[id], let job = jobs[id], told.run.release == job.release,
      told.run.token == job.progress.token
    else { return nil }
    return told.progress
  }

  /// How many jobs are known to run, by department. This looks at every job.
  package var running: [Department: Int] {
    jobs.values.reduce(into: [:]) { if $1.progress.visibleState == .running { $0[$1.department, default: 0] += 1 } }
  }

  /// The acceptance number of the job of which this is the current release.
  func number(of release: ReleaseID) -> Int64? { isCurrent(release) ? jobs[release.job]?.number : nil }

  /// The broker has the release in its queue.
  mutating func confirm(_ release: ReleaseID) -> Bool {
    guard let index = jobs.index(forKey: release.job) else { return false }
    return jobs.values[index].confirm(release.number)
  }
}

/// How far a run has come, and which run.
private struct ToldProgress: Sendable {
  var run: RunningRelease
  var progress: RunProgress
}

extension LiveJob {
  fileprivate mutating func confirm(_ number: Int) -> Bool {
    // A worker has given its message back since: a coordinator that begins anew publishes it again.
    guard progress.release == number, !isReturned else { return false }
    isConfirmed = true
    return true
  }

  fileprivate var hasDeath: Bool { progress.deaths > 0 || progress.blame != nil }
}
