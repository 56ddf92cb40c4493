import JobModel

/// What a turn hears of how far runs have come: of each run the latest word. A pure value.
struct HeardProgress: Sendable {
  /// How many words one turn tells the watches at most. Those beyond it are kept all the same, for whoever asks.
  static let tellLimit = 1_000

  private var runs: [RunningRelease: (run: WorkerProgress.Run, worker: WorkerID)] = [:]

  /// Of each run the latest word, and the worker that says it.
  var latest: some Collection<(run: WorkerProgress.Run, worker: WorkerID)> { runs.values }

  mutating func add(_ news: WorkerProgress) {
    for run in news.runs { runs[run.running] = (run, news.worker) }
  }
}
