public import Metrics
import JobModel

/// A backend of swift-metrics that keeps the values in memory and tells them in Prometheus's text format, version 0.0.4.
///
///     let metrics = PrometheusMetrics.bootstrap()
///     try await HealthServer(worker, on: address, metrics: metrics).run { try await worker.runService() }
///
/// It takes the metrics of the whole process, those of your own application too. A counter's name ends in `_total`, a
/// timer's in `_seconds`; both endings are added where they are missing. What Prometheus does not allow in a name becomes
/// `_`. Timers, and recorders that aggregate, are histograms of fixed bounds.
///
/// There are never more than ``lineLimit`` lines of Teller's values, and as many of all others: a further set of labels counts for the series of its metric
/// whose labels all say `other`, and `teller_metrics_dropped_series_total` grows. A metric is dropped whose name is taken
/// by a metric of another sort.
public final class PrometheusMetrics: MetricsFactory {
  /// How many lines of values there are at most; a histogram has several, a counter or a gauge one. Beyond it each
  /// metric that is known by then has one more series.
  public static let lineLimit = 60_000
  /// The upper bounds of a timer's buckets, in seconds.
  public static let durationBounds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
  ]
  /// The upper bounds of a recorder's buckets.
  public static let valueBounds: [Double] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000,
  ]
  /// What an answer with the text is sent as.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let families: SeriesFamilies

  /// A backend without values.
  ///
  /// - Parameter help: What your own metrics say, for people, by their labels. A metric without it has its label there.
  public convenience init(help: [String: String] = [:]) {
    self.init(help: help, lineLimit: PrometheusMetrics.lineLimit)
  }

  init(help: [String: String] = [:], lineLimit: Int) {
    let own = MetricName.allCases.map { ($0.rawValue, $0.help) }
    families = SeriesFamilies(help: help.merging(own) { $1 }, lineLimit: lineLimit)
  }

  /// Makes a backend that takes the metrics of this process from now on. A process may do this once, before it makes its
  /// metrics; a second time stops the program, as swift-metrics wants it.
  ///
  /// - Parameter help: What your own metrics say, for people, by their labels.
  /// - Returns: The backend, for a ``HealthServer``.
  public static func bootstrap(help: [String: String] = [:]) -> PrometheusMetrics {
    let metrics = PrometheusMetrics(help: help)
    MetricsSystem.bootstrap(metrics)
    return metrics
  }

  /// All values as they are now, sorted by name and labels. Values that change meanwhile may be those of different
  /// moments; the buckets of one histogram are of one moment.
  public var text: String { families.text }
}

// MARK: - What swift-metrics asks for

extension PrometheusMetrics {
  /// A counter of whole numbers. What would take from it is passed over.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    families.series(SeriesName(counter: label), dimensions, .counter) { CounterSeries() }
  }

  /// A counter of any numbers. What would take from it, and what is no number, is passed over.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    families.series(SeriesName(counter: label), dimensions, .counter) { CounterSeries() }
  }

  /// A gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    families.series(SeriesName(label), dimensions, .gauge) { GaugeSeries() }
  }

  /// A histogram with ``valueBounds``; without `aggregate` a gauge.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return families.series(SeriesName(label), dimensions, .gauge) { GaugeSeries() } }
    let bounds = PrometheusMetrics.valueBounds
    return families.series(SeriesName(label), dimensions, .histogram) { HistogramSeries(bounds) }
  }

  /// A histogram of seconds, with ``durationBounds``.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let bounds = PrometheusMetrics.durationBounds
    return families.series(SeriesName(timer: label), dimensions, .histogram) { HistogramSeries(bounds) }
  }

  /// The series is told no longer, and is made anew when somebody asks for it again.
  public func destroyCounter(_ handler: any CounterHandler) { families.remove(handler) }

  /// The series is told no longer, and is made anew when somebody asks for it again.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { families.remove(handler) }

  /// The series is told no longer, and is made anew when somebody asks for it again.
  public func destroyMeter(_ handler: any MeterHandler) { families.remove(handler) }

  /// The series is told no longer, and is made anew when somebody asks for it again.
  public func destroyRecorder(_ handler: any RecorderHandler) { families.remove(handler) }

  /// The series is told no longer, and is made anew when somebody asks for it again.
  public func destroyTimer(_ handler: any TimerHandler) { families.remove(handler) }
}
