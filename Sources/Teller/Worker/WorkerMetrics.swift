import Hosting
import JobModel
import JobTransport
import Metrics
import Synchronization

/// The metrics of a worker, by swift-metrics. Each is made once, and kept: a run costs a few additions, and no names.
final class WorkerMetrics: Sendable {
  private let factory: any MetricsFactory
  private let runs = Mutex(LabelledMetrics<RunMetrics>())
  private let tellers = Mutex<[Department: Meter]>([:])
  private let unconfirmed: Meter
  private let connected: Meter

  init(_ factory: any MetricsFactory = MetricsSystem.factory) {
    self.factory = factory
    unconfirmed = Meter(label: MetricName.workerReportsUnconfirmed.rawValue, factory: factory)
    connected = Meter(label: MetricName.workerBrokerConnected.rawValue, factory: factory)
  }

  /// The metrics of the runs of one kind in one department: to be kept by whoever runs them.
  func runs(of kind: JobKind, in department: Department) -> RunMetrics {
    // It runs what it has a handler for.
    runs.withLock { $0.of(JobLabels(kind, in: department), isNamed: true) { RunMetrics($0, factory) } }
  }

  func show(tellers count: Int, of department: Department) {
    tellers.withLock { tellers in
      let meter =
        tellers[department]
        ?? Meter(label: MetricName.workerTellers.rawValue, dimensions: department.dimensions, factory: factory)
      tellers[department] = meter
      meter.set(count)
    }
  }

  func show(unconfirmedReports count: Int) { unconfirmed.set(count) }

  /// A broker that takes no messages counts as not connected: no report arrives.
  func show(_ broker: BrokerState) { connected.set(broker == .connected ? 1 : 0) }
}

/// The metrics of the runs of one kind of jobs in one department.
struct RunMetrics: Sendable {
  private let started: Counter
  private let ended: [HostedJobEnd.Result: Counter]
  private let time: Timer
  private let inFlight: Meter

  init(_ labels: JobLabels, _ factory: any MetricsFactory) {
    let dimensions = labels.dimensions
    started = Counter(label: MetricName.workerRunsStarted.rawValue, dimensions: dimensions, factory: factory)
    // All of them: a rate needs the zero before the first one.
    ended = HostedJobEnd.Result.allCases.reduce(into: [:]) {
      $0[$1] = Counter(
        label: MetricName.workerRunsEnded.rawValue, dimensions: dimensions + [("result", $1.rawValue)], factory: factory
      )
    }
    time = Timer(label: MetricName.workerRun.rawValue, dimensions: dimensions, factory: factory)
    inFlight = Meter(label: MetricName.workerJobsInFlight.rawValue, dimensions: dimensions, factory: factory)
  }

  /// To be followed by ``end(_:after:)``.
  func begin() {
    started.increment()
    inFlight.increment()
  }

  func end(_ result: HostedJobEnd.Result, after ran: Duration) {
    ended[result]?.increment()
    time.record(duration: ran)
    inFlight.decrement()
  }
}
