import Hosting
import HostingSupport
import JobModel
import Logging
import MetricsTestKit
import Testing

@Suite("The services that come with the library")
struct ReadyServicesTests {
  private let job = HostedJob(kind: "deposit", department: "work", attempt: 2)

  /// A whole life.
  private func live(_ service: some HostedService) async throws {
    try await service.started()
    try await service.opened()
    try await service.jobStarted(job)
    try await service.jobEnded(
      HostedJobEnd(job, .timeout, failure: JobFailure(code: "timeout", message: "too late"), ran: .seconds(3)))
    try await service.received(.example())
    try await service.paused()
    try await service.resumed()
    try await service.draining()
    try await service.stopped()
  }

  @Test("the log has a line for each call, at the level that was asked for")
  func logged() async throws {
    let log = ServiceLog()
    try await live(LifecycleLog(log.logger, level: .notice))
    let texts = log.lines.map { $0.prefix { $0 != "=" }.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(
      texts == [
        "notice: started", "notice: opened", "notice: job started", "notice: job ended", "notice: received push",
        "notice: paused", "notice: resumed", "notice: draining", "notice: stopped",
      ])
    let end = log.lines[3]
    for word in ["attempt=2", "job=\(job.id)", "kind=deposit", "result=timeout", "too late", "ran=3.0 seconds"] {
      #expect(end.contains(word), "\(end)")
    }
  }

  @Test("the metrics show the one present state, and count events")
  func state() async throws {
    let backend = TestMetrics()
    try await live(LifecycleMetrics(of: "desk", factory: backend))
    func values(_ state: String) throws -> [Double] {
      try backend.expectMeter("teller_host_state", [("host", "desk"), ("state", state)]).values
    }
    #expect(try values("started") == [1, 0, 0, 0, 0, 0])
    #expect(try values("open") == [0, 1, 0, 1, 0, 0])
    #expect(try values("paused") == [0, 0, 1, 0, 0, 0])
    #expect(try values("draining") == [0, 0, 0, 0, 1, 0])
    #expect(try values("stopped") == [0, 0, 0, 0, 0, 1])
    #expect(try backend.expectCounter("teller_host_events_received_total", [("host", "desk")]).totalValue == 1)
    #expect(backend.counters(label: "teller_host_jobs_started_total").isEmpty, "the host counts its jobs itself")
  }

  @Test("jobs are counted by kind and result where that is asked for; the kinds are limited")
  func jobs() async throws {
    let backend = TestMetrics()
    let metrics = LifecycleMetrics(of: "desk", countsJobs: true, factory: backend)
    try await live(metrics)
    let labels = [("host", "desk"), ("department", "work"), ("kind", "deposit")]
    #expect(backend.counterTotal(label: "teller_host_jobs_started_total", dimensions: labels) == 1)
    let ends = HostedJobEnd.Result.allCases.map {
      backend.counterTotal(label: "teller_host_jobs_ended_total", dimensions: labels + [("result", $0.rawValue)])
    }
    #expect(ends == HostedJobEnd.Result.allCases.map { $0 == .timeout ? 1 : 0 })
    for number in 1...JobLabels.namedLimit {
      try await metrics.jobStarted(HostedJob(kind: try #require(JobKind("kind-\(number)")), department: "work"))
    }
    #expect(backend.counterTotal(label: "teller_host_jobs_started_total") == Int64(JobLabels.namedLimit) + 1)
    #expect(backend.counters(label: "teller_host_jobs_started_total").count <= JobLabels.namedLimit + 1)
  }
}
