import JobModel
import JobTransport
import MetricsTestKit
import Testing

@testable import Coordinator

@Suite("How a coordinator stands, in the metrics")
struct CoordinatorGaugesTests {
  @Test("it serves or does not, and the broker is there, is short of something, or is away")
  func states() throws {
    let metrics = TestMetrics()
    let gauges = CoordinatorGauges(metrics)
    gauges.show(Activity(isStandby: true), .connected)
    gauges.show(Activity(isServing: true), .connected)
    gauges.show(Activity(isServing: true), .blocked)
    gauges.show(Activity(), .lost)
    #expect(try metrics.expectMeter(MetricName.coordinatorServing.rawValue).values == [0, 1, 1, 0])
    #expect(try metrics.expectMeter(MetricName.brokerConnected.rawValue).values == [1, 1, 1, 0])
    #expect(try metrics.expectMeter(MetricName.brokerBlocked.rawValue).values == [0, 0, 1, 0])
  }
}
