import Metrics
import Testing

@testable import TellerHealth

@Suite("Metrics in Prometheus's text format")
struct PrometheusMetricsTests {
  private let metrics = PrometheusMetrics()

  /// The lines of one metric, without what is said of it.
  private func values(_ name: String, in metrics: PrometheusMetrics? = nil) -> [String] {
    (metrics ?? self.metrics).text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(name) }
  }

  @Test("counters, gauges and what is said of them, sorted by name and by labels, whoever came first")
  func sorted() {
    let metrics = PrometheusMetrics(help: ["visits": "Customers who came\nin, by \\ door."])
    Counter(label: "visits", dimensions: [("door", "west"), ("day", "1")], factory: metrics).increment(by: 2)
    Meter(label: "queue.length", factory: metrics).set(1.5)
    Counter(label: "visits", dimensions: [("day", "1"), ("door", "east")], factory: metrics).increment()
    Counter(label: "visits", dimensions: [("day", "1"), ("door", "west")], factory: metrics).increment()
    #expect(
      metrics.text == """
        # HELP queue_length queue.length
        # TYPE queue_length gauge
        queue_length 1.5
        # HELP teller_metrics_dropped_series_total Series that were not kept on their own, because there were too many, or \
        their name was taken.
        # TYPE teller_metrics_dropped_series_total counter
        teller_metrics_dropped_series_total 0
        # HELP visits_total Customers who came\\nin, by \\\\ door.
        # TYPE visits_total counter
        visits_total{day="1",door="east"} 1
        visits_total{day="1",door="west"} 3

        """)
  }

  @Test("values of labels are escaped, and of names nothing stays that Prometheus does not allow")
  func escaped() {
    Counter(
      label: "9 lives/used", dimensions: [("the cat", "a \"b\" \\ c\nd é"), ("__name__", "x"), ("le", "1"), ("", "y")],
      factory: metrics
    ).increment()
    #expect(
      values("_9") == [
        #"_9_lives_used_total{_="y",label___name__="x",label_le="1",the_cat="a \"b\" \\ c\nd é"} 1"#
      ])
  }

  @Test("a histogram's buckets add up, the last one is the count, and what lies on a bound is within it")
  func buckets() {
    let recorder = Recorder(label: "size", dimensions: [("of", "x")], factory: metrics)
    for value in [0, 1, 2, 3, 2_000_000] { recorder.record(value) }
    recorder.record(Double.nan)
    recorder.record(Double.infinity)
    let lines = values("size")
    let first = [(1, 2), (2, 3), (5, 4)].map { #"size_bucket{of="x",le="\#($0)"} \#($1)"# }
    #expect(Array(lines.prefix(3)) == first)
    #expect(
      lines.suffix(3) == [#"size_bucket{of="x",le="+Inf"} 5"#, #"size_sum{of="x"} 2000006"#, #"size_count{of="x"} 5"#])
    #expect(lines.count == PrometheusMetrics.valueBounds.count + 3)
  }

  @Test("a timer is a histogram of seconds")
  func timer() {
    Timer(label: "lunch", factory: metrics).record(duration: .milliseconds(250))
    let lines = values("lunch")
    let expected = [
      #"lunch_seconds_bucket{le="0.1"} 0"#, #"lunch_seconds_bucket{le="0.25"} 1"#, "lunch_seconds_sum 0.25",
      "lunch_seconds_count 1",
    ]
    #expect(Set(expected).isSubset(of: lines), "\(lines)")
  }

  @Test("numbers that are none have Prometheus's names; large ones stay numbers")
  func numbers() {
    let numbers = [.nan, .infinity, -.infinity, 1e300, 0.1, -3].map(PrometheusText.number)
    #expect(numbers == ["NaN", "+Inf", "-Inf", "1e+300", "0.1", "-3"])
  }

  @Test("a counter never goes back, and takes parts")
  func counter() {
    let counter = FloatingPointCounter(label: "litres", factory: metrics)
    counter.increment(by: 0.5)
    counter.increment(by: -1.0)
    counter.increment(by: Double.nan)
    Counter(label: "litres_total", factory: metrics).increment(by: 2)
    #expect(values("litres") == ["litres_total 2.5"])
    counter.reset()
    #expect(values("litres") == ["litres_total 0"])
  }

  @Test("a gauge goes up and down, by a meter and by a recorder that does not aggregate")
  func gauge() {
    let meter = Meter(label: "open", factory: metrics)
    meter.increment(by: 3.0)
    meter.decrement()
    #expect(values("open") == ["open 2"])
    Gauge(label: "open", factory: metrics).record(7)
    #expect(values("open") == ["open 7"])
  }

  @Test("beyond the limit a further set of labels counts for the series of all others, and nothing is lost")
  func bounded() {
    let metrics = PrometheusMetrics(lineLimit: 3)
    for customer in 1...10 {
      Counter(label: "visits", dimensions: [("customer", "\(customer)")], factory: metrics).increment()
    }
    #expect(
      values("visits", in: metrics) == [
        #"visits_total{customer="1"} 1"#, #"visits_total{customer="2"} 1"#, #"visits_total{customer="3"} 1"#,
        #"visits_total{customer="other"} 7"#,
      ])
    Counter(label: "visits", dimensions: [("door", "west")], factory: metrics).increment()
    #expect(values("visits", in: metrics).last == #"visits_total{customer="other"} 8"#)
    #expect(values("teller_metrics", in: metrics) == ["teller_metrics_dropped_series_total 8"])
    Counter(label: "late", factory: metrics).increment()
    #expect(values("late", in: metrics).isEmpty)
    #expect(values("teller_metrics", in: metrics) == ["teller_metrics_dropped_series_total 9"])
  }

  @Test("an application with too many series leaves Teller's own their room")
  func apart() {
    let metrics = PrometheusMetrics(lineLimit: 3)
    for customer in 1...10 {
      Counter(label: "visits", dimensions: [("customer", "\(customer)")], factory: metrics).increment()
    }
    for kind in ["deposit", "loan"] {
      Counter(label: "teller_jobs", dimensions: [("kind", kind)], factory: metrics).increment()
    }
    #expect(
      values("teller_jobs", in: metrics) == [
        #"teller_jobs_total{kind="deposit"} 1"#, #"teller_jobs_total{kind="loan"} 1"#,
      ])
  }

  @Test("a series that is destroyed is told no longer, makes room, and begins anew; one that is shared stays")
  func destroyed() {
    let metrics = PrometheusMetrics(lineLimit: 1)
    let first = Counter(label: "visits", dimensions: [("customer", "1")], factory: metrics)
    let shared = Counter(label: "visits", dimensions: [("customer", "2")], factory: metrics)
    first.increment(by: 5)
    shared.increment()
    first.destroy()
    shared.destroy()
    #expect(values("visits", in: metrics) == [#"visits_total{customer="other"} 1"#])
    Counter(label: "visits", dimensions: [("customer", "1")], factory: metrics).increment()
    #expect(
      values("visits", in: metrics) == [#"visits_total{customer="1"} 1"#, #"visits_total{customer="other"} 1"#])
  }

  @Test("a name that a metric of another sort has is not taken twice")
  func taken() {
    Meter(label: "visits_total", factory: metrics).set(1)
    Counter(label: "visits", factory: metrics).increment()
    #expect(values("visits") == ["visits_total 1"])
    #expect(metrics.text.contains("# TYPE visits_total gauge"))
    #expect(values("teller_metrics") == ["teller_metrics_dropped_series_total 1"])
  }

  @Test("what many threads add at once is all there")
  func threads() async {
    let (rounds, tasks) = (10_000, 8)
    let counter = Counter(label: "visits", factory: metrics)
    let meter = Meter(label: "open", factory: metrics)
    let timer = Timer(label: "lunch", factory: metrics)
    await withTaskGroup { group in
      for _ in 1...tasks {
        group.addTask {
          for _ in 1...rounds {
            counter.increment()
            meter.increment()
            timer.record(duration: .seconds(1))
          }
        }
      }
    }
    #expect(values("visits") == ["visits_total \(rounds * tasks)"])
    #expect(values("open") == ["open \(rounds * tasks)"])
    #expect(values("lunch_seconds_count") == ["lunch_seconds_count \(rounds * tasks)"])
    #expect(values("lunch_seconds_sum") == ["lunch_seconds_sum \(rounds * tasks)"])
  }
}
