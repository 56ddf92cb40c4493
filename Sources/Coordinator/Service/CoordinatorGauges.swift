import JobModel
import JobTransport
import Metrics

/// How a coordinator stands, in the metrics.
struct CoordinatorGauges {
  private let serving: Meter
  private let connected: Meter
  private let blocked: Meter

  init(_ factory: any MetricsFactory = MetricsSystem.factory) {
    serving = Meter(label: MetricName.coordinatorServing.rawValue, factory: factory)
    connected = Meter(label: MetricName.brokerConnected.rawValue, factory: factory)
    blocked = Meter(label: MetricName.brokerBlocked.rawValue, factory: factory)
  }

  func show(_ activity: Activity, _ broker: BrokerState) {
    serving.set(activity.isServing ? 1 : 0)
    connected.set(broker == .lost ? 0 : 1)
    blocked.set(broker == .blocked ? 1 : 0)
  }
}
