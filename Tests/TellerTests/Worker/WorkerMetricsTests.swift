import JobModel
import JobTransport
import MetricsTestKit
import Testing

@testable import Teller

@Suite("Metrics of a worker")
struct WorkerMetricsTests {
  private let backend = TestMetrics()
  private let deposits = [("department", "work"), ("kind", "deposit")]

  @Test("a run is counted when it begins and when it ends, by what it came to, and is in flight in between")
  func runs() throws {
    let metrics = WorkerMetrics(backend)
    let runs = metrics.runs(of: "deposit", in: "work")
    runs.begin()
    runs.begin()
    let inFlight = try backend.expectMeter(MetricName.workerJobsInFlight.rawValue, deposits)
    #expect(inFlight.lastValue == 2)
    runs.end(.succeeded, after: .milliseconds(3))
    runs.end(.timeout, after: .seconds(1))
    #expect(inFlight.lastValue == 0)
    #expect(try backend.expectCounter(MetricName.workerRunsStarted.rawValue, deposits).totalValue == 2)
    let ended = HostedJobEnd.Result.allCases.map { result in
      backend.counterTotal(
        label: MetricName.workerRunsEnded.rawValue, dimensions: deposits + [("result", result.rawValue)])
    }
    #expect(ended == [1, 0, 0, 0, 1, 0])
    #expect(
      try backend.expectTimer(MetricName.workerRun.rawValue, deposits).values == [3_000_000, 1_000_000_000])
  }

  @Test("what is asked for again is the same; beyond the limit of kinds further runs are counted together")
  func bounded() throws {
    let metrics = WorkerMetrics(backend)
    for number in 0...JobLabels.namedLimit {
      for _ in 1...2 { metrics.runs(of: try #require(JobKind("kind-\(number)")), in: "work").begin() }
    }
    let (name, others) = (MetricName.workerRunsStarted.rawValue, [("department", "work"), ("kind", "other")])
    #expect(backend.counterTotal(label: name) == Int64(JobLabels.namedLimit + 1) * 2)
    #expect(backend.counterTotal(label: name, dimensions: others) == 2)
    #expect(backend.counters(label: name).count == JobLabels.namedLimit + 1)
  }

  @Test("gauges: tellers, reports that are not confirmed, and whether the broker takes what the worker says")
  func gauges() throws {
    let metrics = WorkerMetrics(backend)
    metrics.show(tellers: 4, of: "work")
    metrics.show(tellers: 2, of: "work")
    metrics.show(unconfirmedReports: 7)
    #expect(try backend.expectMeter(MetricName.workerTellers.rawValue, [("department", "work")]).values == [4, 2])
    #expect(try backend.expectMeter(MetricName.workerReportsUnconfirmed.rawValue).lastValue == 7)
    for state in [BrokerState.lost, .connected, .blocked] { metrics.show(state) }
    #expect(try backend.expectMeter(MetricName.workerBrokerConnected.rawValue).values == [0, 1, 0])
  }
}
