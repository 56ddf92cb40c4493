import Decisions
import JobModel

/// The jobs that are released and unfinished, by their ids, and the places that they have beside. A pure value.
struct LiveJobs: Sendable {
  private var jobs: [JobID: LiveJob] = [:]
  private(set) var beside = PlacesBeside()
  /// Those that were running at the death of a worker.
  private(set) var afterDeath: Set<JobID> = []

  subscript(id: JobID) -> LiveJob? {
    get { jobs[id] }
    // In place: most changes are of one field, and a job is large to copy.
    _modify {
      let (before, hadDeath) = (jobs[id]?.placeBeside, jobs[id]?.hasDeath ?? false)
      defer {
        beside.move(from: before, to: jobs[id]?.placeBeside)
        let hasDeath = jobs[id]?.hasDeath ?? false
        if hasDeath != hadDeath { if hasDeath { afterDeath.insert(id) } else { afterDeath.remove(id) } }
      }
      yield &jobs[id]
    }
  }

  var ids: some Collection<JobID> { jobs.keys }
  var values: some Collection<LiveJob> { jobs.values }
  var count: Int { jobs.count }
  var isEmpty: Bool { jobs.isEmpty }
}

/// How many places of the departments' shared windows the queues of kinds have. A pure value.
struct PlacesBeside: Hashable, Sendable {
  private var counts: [JobQueue: Int] = [:]

  subscript(queue: JobQueue) -> Int { counts[queue] ?? 0 }

  /// Nil: no place, or one that is not counted here.
  mutating func move(from before: JobQueue?, to after: JobQueue?) {
    guard before != after else { return }
    if let after { counts[after, default: 0] += 1 }
    guard let before else { return }
    let left = self[before] - 1
    counts[before] = left > 0 ? left : nil
  }
}

extension LiveJob {
  /// Also of what is about to be taken back from a dead worker.
  fileprivate var hasDeath: Bool { progress.deaths > 0 || progress.blame != nil }

  /// The queue of its kind, if it lies there, and not on a place of its priority's reserve.
  var placeBeside: JobQueue? { isBeside && slot == .shared ? queue : nil }
}

extension VoidPlace {
  /// The queue of a kind, if its message lies there, and not on a place of its priority's reserve.
  var placeBeside: JobQueue? { queue.kind != nil && slot == .shared ? queue : nil }
}
