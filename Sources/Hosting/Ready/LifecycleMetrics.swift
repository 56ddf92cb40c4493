public import JobModel
public import Metrics
import Synchronization

/// A service that tells by swift-metrics how its host stands, and which events it has received.
///
///     worker.add(LifecycleMetrics(of: "worker"))
///
/// | metric | labels |
/// |---|---|
/// | `teller_host_state`: 1 for the present state, else 0 | host, and `state`: `started`, `open`, `paused`, `draining`, `stopped` |
/// | `teller_host_events_received_total` | host |
/// | `teller_host_jobs_started_total` | host, department, kind |
/// | `teller_host_jobs_ended_total` | host, department, kind, result |
///
/// Jobs are counted only where that is asked for. A worker and a coordinator count their jobs themselves, exactly, for the
/// backend of the process. These counters are for another backend: a service misses calls when it is too slow.
public final class LifecycleMetrics: HostedService {
  private enum State: String, CaseIterable {
    case started, open, paused, draining, stopped
  }

  private let host: String
  private let factory: any MetricsFactory
  private let countsJobs: Bool
  private let states: [State: Meter]
  private let events: Counter
  /// Their count is limited: kinds beyond the limit are counted together.
  private let jobs = Mutex(LabelledMetrics<JobCounters>())

  /// A service that measures.
  ///
  /// - Parameters:
  ///   - host: The label of the host, such as `worker`.
  ///   - countsJobs: Whether jobs are counted, too.
  ///   - factory: The backend; that of the process unless it is given.
  public init(of host: String, countsJobs: Bool = false, factory: any MetricsFactory = MetricsSystem.factory) {
    self.host = host
    self.countsJobs = countsJobs
    self.factory = factory
    states = State.allCases.reduce(into: [:]) {
      $0[$1] = Meter(
        label: "teller_host_state", dimensions: [("host", host), ("state", $1.rawValue)], factory: factory)
    }
    events = Counter(label: "teller_host_events_received_total", dimensions: [("host", host)], factory: factory)
  }

  /// Shows the state.
  public func started() async throws { show(.started) }
  /// Shows the state.
  public func opened() async throws { show(.open) }
  /// Shows the state.
  public func paused() async throws { show(.paused) }
  /// Shows the state.
  public func resumed() async throws { show(.open) }
  /// Shows the state.
  public func draining() async throws { show(.draining) }
  /// Shows the state.
  public func stopped() async throws { show(.stopped) }
  /// Counts the event.
  public func received(_ event: EventStatus) async throws { events.increment() }
  /// Counts the job, if jobs are to be counted.
  public func jobStarted(_ job: HostedJob) async throws { counters(of: job)?.started.increment() }
  /// Counts the end, if jobs are to be counted.
  public func jobEnded(_ end: HostedJobEnd) async throws { counters(of: end.job)?.ended[end.result]?.increment() }

  private func show(_ present: State) {
    for (state, meter) in states { meter.set(state == present ? 1 : 0) }
  }

  private func counters(of job: HostedJob) -> JobCounters? {
    guard countsJobs else { return nil }
    // Nobody says here who has named a kind: the first ones have their own.
    return jobs.withLock { jobs in
      jobs.of(JobLabels(job.kind, in: job.department), isNamed: true) { JobCounters($0, host, factory) }
    }
  }
}

/// The counters of one kind of jobs in one department.
private struct JobCounters: Sendable {
  let started: Counter
  let ended: [HostedJobEnd.Result: Counter]

  init(_ labels: JobLabels, _ host: String, _ factory: any MetricsFactory) {
    let dimensions = [("host", host)] + labels.dimensions
    started = Counter(label: "teller_host_jobs_started_total", dimensions: dimensions, factory: factory)
    // All of them: a rate needs the zero before the first one.
    ended = HostedJobEnd.Result.allCases.reduce(into: [:]) {
      $0[$1] = Counter(
        label: "teller_host_jobs_ended_total", dimensions: dimensions + [("result", $1.rawValue)], factory: factory)
    }
  }
}
