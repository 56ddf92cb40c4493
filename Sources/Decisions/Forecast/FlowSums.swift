import JobModel

/// What came into a department and what left it, in a stretch of time. A pure value.
package struct FlowSums: SlotValue {
  /// The jobs that began to wait: accepted ones, and held ones whose time has come.
  package var entered = 0
  /// How many more wait or run than before; negative: fewer.
  package var growth = 0
  /// The most that waited or ran at once.
  package var most = 0
  /// The times between one arrival and the next.
  package var betweenArrivals = Moments()
  /// The longest of these times.
  package var longestGap: Duration = .zero
  /// The last run of each job that has ended.
  package var runs = Moments()
  /// The runs of those jobs that have ended while others waited all the time.
  package var saturatedRuns = Moments()
  /// How long so many tellers had jobs waiting all the time, in seconds times tellers.
  package var saturatedTime = 0.0

  package init() {}

  /// How many seconds a teller that has always something to do spends on a job.
  private var saturatedService: Double { saturatedTime / Double(saturatedRuns.count) }
  private var isMeasured: Bool { saturatedRuns.count >= DepartmentFlow.fewestSamples && saturatedTime > 0 }
  /// The same of an ordered department, which counts as one teller: less than a run where jobs run beside each other.
  var serviceInOrder: Double { isMeasured ? saturatedService : runs.mean }

  /// How many seconds lie between two runs of a teller that has always something to do; 0: not known. It is measured by
  /// itself: jobs wait more often while runs are long, so those runs are no sample of all runs.
  var betweenRuns: Double {
    guard isMeasured else { return 0 }
    return max(0, saturatedService - saturatedRuns.mean)
  }

  package mutating func add(_ other: FlowSums) {
    entered += other.entered
    growth += other.growth
    most = max(most, other.most)
    betweenArrivals.add(other.betweenArrivals)
    longestGap = max(longestGap, other.longestGap)
    runs.add(other.runs)
    saturatedRuns.add(other.saturatedRuns)
    saturatedTime += other.saturatedTime
  }
}

/// What one turn did to a department, and how it stands after the turn.
package struct FlowTurn: Sendable {
  package var accepted = 0
  /// Jobs that have ended after they ran.
  package var ran: [Duration] = []
  /// Jobs that have ended without a run: cancelled, or too late.
  package var endedUnrun = 0
  /// Jobs that ran, failed, and wait for their next attempt.
  package var retried = 0
  /// The jobs that wait or run; without those that are held until a time, or until other jobs have ended.
  package var unfinished: Int
  /// The jobs of these that a teller can take.
  package var servable: Int

  package init(unfinished: Int, servable: Int? = nil) {
    (self.unfinished, self.servable) = (unfinished, servable ?? unfinished)
  }
}
