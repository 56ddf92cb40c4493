import Decisions
import JobModel
import JobTransport
import Metrics

/// The metrics of the books, by swift-metrics. Each is made once, and kept.
final class BooksMetrics {
  private let factory: any MetricsFactory
  private var jobs = LabelledMetrics<JobMetrics>()
  private var departments: [Department: DepartmentMetrics] = [:]
  private var rejected: [String: Counter] = [:]
  private var deadLetters: [DeadLetterCause: Counter] = [:]
  /// How many jobs run, by department.
  private var running: [Department: Int] = [:]
  private let reportsIgnored: Counter
  private let leasesLost: Counter
  private let commit: Timer
  private let ledgerBytes: Meter
  private let unsent: Meter
  private let workers: Meter

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    reportsIgnored = Counter(label: MetricName.reportsIgnored.rawValue, factory: factory)
    leasesLost = Counter(label: MetricName.leasesLost.rawValue, factory: factory)
    commit = Timer(label: MetricName.ledgerCommit.rawValue, factory: factory)
    ledgerBytes = Meter(label: MetricName.ledgerBytes.rawValue, factory: factory)
    unsent = Meter(label: MetricName.outboxUnsent.rawValue, factory: factory)
    workers = Meter(label: MetricName.workers.rawValue, factory: factory)
    // From the start, so that an alert on their growth sees the first one, too.
    for queue in [Topology.Queue.submissions, Topology.Queue.reports] {
      for reason in DeadLetterCause.reasonsOfBroker + [DeadLetterCause.missing] {
        _ = counter(of: DeadLetterCause(queue: queue, reason: reason))
      }
    }
  }

  /// A turn is recorded. `isNamed`: whether somebody has named the kind in that department.
  func count(_ turn: TurnTally, isNamed: (JobLabels) -> Bool) {
    for tally in turn.jobs {
      jobs.of(tally.labels, isNamed: isNamed(tally.labels)) { JobMetrics($0, factory) }.count(tally)
      running[tally.labels.department, default: 0] += tally.running
    }
    for (code, count) in turn.rejected { counter(ofRejected: code).increment(by: count) }
    if turn.ignoredReports > 0 { reportsIgnored.increment(by: turn.ignoredReports) }
    if turn.lostLeases > 0 { leasesLost.increment(by: turn.lostLeases) }
  }

  /// Messages that the broker took off their queues, and queues that were gone.
  func count(_ causes: [DeadLetterCause]) {
    for cause in causes { counter(of: cause).increment() }
  }

  private func counter(of cause: DeadLetterCause) -> Counter {
    deadLetters.made(for: cause) {
      Counter(
        label: MetricName.deadLetters.rawValue, dimensions: [("queue", cause.queue), ("reason", cause.reason)],
        factory: factory)
    }
  }

  /// A turn that has changed something took so long to reach the disk.
  func committed(within time: Duration) { commit.record(duration: time) }

  /// The memory was read anew: so many jobs run.
  func recount(running: [Department: Int]) { self.running = running }

  /// How the departments stand. One that is not named has nothing any more.
  func show(_ books: [Department: DepartmentBooks], _ roster: Roster) {
    for (department, metrics) in departments where books[department] == nil { metrics.clear() }
    for (department, books) in books {
      metrics(of: department).show(
        books, running: running[department] ?? 0, tellers: roster.tellers(of: department),
        stuck: roster.stuck(of: department))
    }
  }

  /// No department has anything here, nobody works, nothing waits to be sent.
  func hide() {
    for metrics in departments.values { metrics.clear() }
    workers.set(0)
    unsent.set(0)
  }

  func show(workers: Int, unsent: Int, ledgerBytes: Int64) {
    self.workers.set(workers)
    self.unsent.set(unsent)
    self.ledgerBytes.set(ledgerBytes)
  }

  private func metrics(of department: Department) -> DepartmentMetrics {
    departments.made(for: department) { DepartmentMetrics(department, factory) }
  }

  private func counter(ofRejected code: String) -> Counter {
    rejected.made(for: code) {
      Counter(label: MetricName.submissionsRejected.rawValue, dimensions: [("code", code)], factory: factory)
    }
  }
}

/// The metrics of the jobs of one kind in one department.
private struct JobMetrics {
  private let accepted: Counter
  private let ended: [JobState: Counter]
  private let failedAttempts: Counter
  private let retried: Counter
  private let wait: Timer
  private let run: Timer

  init(_ labels: JobLabels, _ factory: any MetricsFactory) {
    let dimensions = labels.dimensions
    let counter = { (name: MetricName, more: [(String, String)]) in
      Counter(label: name.rawValue, dimensions: dimensions + more, factory: factory)
    }
    accepted = counter(.jobsAccepted, [])
    // All of them: a rate needs the zero before the first one.
    ended = JobState.allCases.filter(\.isFinal).reduce(into: [:]) {
      $0[$1] = counter(.jobsEnded, [("outcome", $1.rawValue)])
    }
    failedAttempts = counter(.attemptsFailed, [])
    retried = counter(.jobsRetried, [])
    wait = Timer(label: MetricName.jobWait.rawValue, dimensions: dimensions, factory: factory)
    run = Timer(label: MetricName.jobRun.rawValue, dimensions: dimensions, factory: factory)
  }

  func count(_ tally: TurnTally.Jobs) {
    if tally.accepted > 0 { accepted.increment(by: tally.accepted) }
    for (state, count) in tally.ended { ended[state]?.increment(by: count) }
    if tally.failedAttempts > 0 { failedAttempts.increment(by: tally.failedAttempts) }
    if tally.retried > 0 { retried.increment(by: tally.retried) }
    for time in tally.waits { wait.record(duration: time) }
    for time in tally.runs { run.record(duration: time) }
  }
}

/// The metrics of one department.
private struct DepartmentMetrics {
  private let held: Meter
  private let retrying: Meter
  private let unsettled: Meter
  private let restored: Meter
  private let queued: Meter
  private let running: Meter
  private let tellers: Meter
  private let stuck: Meter
  private let paused: Meter

  init(_ department: Department, _ factory: any MetricsFactory) {
    let meter = { (name: MetricName) in
      Meter(label: name.rawValue, dimensions: department.dimensions, factory: factory)
    }
    (held, queued, running) = (meter(.jobsHeld), meter(.jobsQueued), meter(.jobsRunning))
    (retrying, unsettled, restored) = (meter(.jobsRetrying), meter(.jobsUnsettled), meter(.jobsRestored))
    (tellers, stuck, paused) = (meter(.tellers), meter(.tellersStuck), meter(.departmentPaused))
  }

  func show(_ books: DepartmentBooks, running: Int, tellers: Int, stuck: Int) {
    held.set(books.heldCount)
    retrying.set(books.retrying)
    unsettled.set(books.unsettled)
    restored.set(books.restored)
    queued.set(books.releasedCount - running)
    self.running.set(running)
    self.tellers.set(tellers)
    self.stuck.set(stuck)
    paused.set(books.isPaused ? 1 : 0)
  }

  func clear() {
    for meter in [held, retrying, unsettled, restored, queued, running, tellers, stuck, paused] { meter.set(0) }
  }
}

extension Dictionary {
  /// The value of the key; made when there is none.
  fileprivate mutating func made(for key: Key, _ make: () -> Value) -> Value {
    if let known = self[key] { return known }
    let value = make()
    self[key] = value
    return value
  }
}
