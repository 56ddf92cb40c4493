import Foundation
import JobModel
import SystemSupport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The metrics of real processes, as a real Prometheus sees them.
@Suite("Metrics", .serialized)
struct MetricsTests {
  private static let rules = Dashboard.folder.appending(path: "alerts.yaml")

  @Test("what Prometheus has counted is what was submitted; it takes the text, every alert and every graph")
  func counted() async throws {
    let system = try await TellerSystem.onSharedBroker(kinds: ["fail": "retry: {first: 10ms}"])
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    let worker = try await HealthyProcess(workerOf: system)
    for process in [coordinator, worker] { try await process.becomes(ready: true) }
    let prometheus = try await PrometheusServer(
      asking: [coordinator.address, worker.address], rules: MetricsTests.rules)
    // In two parts: a rate needs two samples that differ.
    var jobs = try await submit(to: system)
    try await isSeen(jobs.count, by: prometheus)
    jobs += try await submit(to: system)
    try await isSeen(jobs.count, by: prometheus)
    _ = try await system.run("teller", ["submit", "noop", "--department", "nowhere"])

    let ended = try await prometheus.query("sum by (outcome) (teller_jobs_ended_total)", by: "outcome")
    #expect(ended == ["succeeded": 50, "failed": 4, "cancelled": 0])
    let accepted = try await prometheus.query("sum by (department) (teller_jobs_accepted_total)", by: "department")
    #expect(accepted == ["work": 44, "other": 10])
    let rates = try await prometheus.query(
      "sum by (department) (rate(teller_jobs_ended_total[30m])) > 0", by: "department")
    #expect(Set(rates.keys) == ["work", "other"])
    let runs = try await prometheus.query("sum by (kind) (teller_job_run_seconds_count)", by: "kind")
    #expect(runs == ["noop": 50, "fail": 4])
    #expect(try await prometheus.query("sum(teller_attempts_failed_total)").first?.value == 8)
    #expect(try await prometheus.query("sum(teller_jobs_retried_total)").first?.value == 4)
    #expect(try await prometheus.query("teller_tellers", by: "department")["work"] == 2)
    #expect(try await prometheus.query("min(teller_coordinator_serving + teller_broker_connected)").first?.value == 2)

    try await eventually("the refused submission is counted", within: TellerSystem.limit) {
      try await prometheus.query("teller_submissions_rejected_total", by: "code") == ["unknown_department": 1]
    }
    let failedRuns = "teller_worker_runs_ended_total{department=\"work\",kind=\"fail\",result=\"failed\"}"
    let ofCoordinator = try await coordinator.metrics()
    let ofWorker = try await worker.metrics()
    #expect(ofWorker.contains("\(failedRuns) 8\n"), "\(ofWorker)")
    for text in [ofCoordinator, ofWorker] {
      try await PrometheusServer.promtool(["check", "metrics"], input: text)
    }
    for name in MetricName.allCases {
      let text = name.rawValue.hasPrefix("teller_worker_") ? ofWorker : ofCoordinator
      #expect(text.contains("# TYPE \(name.rawValue) "), "nobody tells \(name)")
      #expect(text.contains("# HELP \(name.rawValue) \(name.help)\n"))
    }
    for graph in try Dashboard().expressions {
      await #expect(throws: Never.self, "\(graph)") { try await prometheus.query(graph) }
    }
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("promtool takes the alerts, and they fire when they shall")
  func alerts() async throws {
    try await PrometheusServer.promtool(["check", "rules", MetricsTests.rules.path])
    try await PrometheusServer.promtool([
      "test", "rules", Dashboard.folder.appending(path: "alerts.test.yaml").path,
    ])
  }

  @Test("every metric that an alert or a graph names is one that the programs tell, and every one is in a graph")
  func names() throws {
    let names = Set(MetricName.allCases.map(\.rawValue))
    let alerts = try String(contentsOf: MetricsTests.rules, encoding: .utf8)
    let dashboard = try Dashboard()
    let drawn = Set(dashboard.expressions.flatMap(Self.names))
    let alerted = Set(Self.names(in: alerts))
    #expect(alerted.count > 8 && alerted.subtracting(names).isEmpty, "\(alerted.subtracting(names))")
    #expect(drawn == names)
  }

  @Test("the dashboard's panels have ids of their own, lie beside each other, and ask the chosen Prometheus")
  func dashboard() throws {
    let panels = try Dashboard().panels
    #expect(panels.count > 20 && Set(panels.map(\.id)).count == panels.count)
    for (index, panel) in panels.enumerated() {
      #expect(panel.type == "row" || !(panel.targets ?? []).isEmpty, "\(panel.title) shows nothing")
      #expect(panel.targets?.allSatisfy { $0.datasource.uid == "${datasource}" } ?? true)
      #expect(panel.gridPos.x + panel.gridPos.w <= 24)
      for other in panels.prefix(index) { #expect(!panel.gridPos.overlaps(other.gridPos), "\(panel.title)") }
    }
  }

  /// 20 jobs for `work` and 5 for `other` that succeed, and two that fail twice.
  private func submit(to system: TellerSystem) async throws -> [String] {
    let jobs =
      try await system.submit(20, #"{"kind": "noop"}"#)
      + system.submit(5, #"{"kind": "noop", "department": "other"}"#)
      + system.submit(2, #"{"kind": "fail", "payload": {}, "attempts": 2}"#)
    _ = try await system.outcomes(of: jobs)
    return jobs
  }

  private func isSeen(_ jobs: Int, by prometheus: PrometheusServer) async throws {
    try await eventually("Prometheus sees that \(jobs) jobs have ended", within: TellerSystem.limit) {
      try await prometheus.query("sum(teller_jobs_ended_total)").first?.value == Double(jobs)
    }
  }

  /// The metrics that a text names; those of a histogram by the histogram's name.
  private static func names(in text: String) -> [String] {
    text.matches(of: /teller_[a-z_]+/).map { String($0.0.replacing(/_(bucket|sum|count)$/, with: "")) }
  }
}

extension HealthyProcess {
  /// The text that it has for Prometheus.
  func metrics() async throws -> String {
    let url = try #require(URL(string: "http://\(address)/metrics"))
    let (data, _) = try await URLSession.shared.data(from: url)
    return String(decoding: data, as: UTF8.self)
  }
}
