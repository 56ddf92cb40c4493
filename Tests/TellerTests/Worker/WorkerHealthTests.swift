import Testing

@testable import Teller

@Suite("A worker's health")
struct WorkerHealthTests {
  @Test("before it runs it is not ready, and says of everything that it lacks it")
  func notBegun() async {
    let report = await Worker(TellerConfiguration(), departments: ["work": 1, "other": 1]).health()
    #expect(!report.isReady)
    #expect(
      report.checks.map(\.name) == ["broker", "coordinator", "consumers", "presence", "loop", "threads", "tellers"])
    #expect(report.checks.map(\.isOK) == [false, false, false, false, false, true, true])
    #expect(report.checks[2].detail == "not attached: other, work")
  }
}
