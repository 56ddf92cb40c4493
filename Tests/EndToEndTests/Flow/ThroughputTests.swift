import Foundation
import SystemSupport
import TestSupport
import Testing

/// How fast it is, and how much memory it takes; only completeness is asserted. `TELLER_TEST_JOBS=100000` for a real
/// measurement, with products that were built for release.
@Suite("Many jobs that do nothing", .serialized)
struct ThroughputTests {
  private static let count = ProcessInfo.processInfo.environment["TELLER_TEST_JOBS"].flatMap(Int.init) ?? 5_000
  /// Short jobs want many tellers: each is busy until the broker has confirmed its report.
  private static let tellers = 200
  /// Less than the slowest machine does in a second.
  private static let slowest = 50

  @Test("are all accepted, run and recorded")
  func throughput() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: "45s")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=\(ThroughputTests.tellers)")
    let (count, limit) = (
      ThroughputTests.count, TellerSystem.limit + .seconds(ThroughputTests.count / ThroughputTests.slowest)
    )
    let file = system.folder.appending("jobs.ndjson")
    try Data(String(repeating: #"{"kind": "noop"}"# + "\n", count: count).utf8).write(to: file)

    let start = ContinuousClock.now
    let submitter = try system.launch("teller", ["submit", "--batch", file.path, "--json"])
    #expect(try await submitter.waitForExit(within: limit) == 0, "\(system.logs)")
    let summary = try #require(
      submitter.text(of: .standardOutput).last.flatMap { try? TellerSystem.json($0) }, "\(system.logs)")
    #expect(summary["accepted"] as? Int == count)
    let accepted = ContinuousClock.now - start
    var last: [String: any Sendable] = [:]
    try await eventually("every job has succeeded", within: limit, lastState: { "\(last)" }) {
      last = try await system.department("work")
      return last["succeeded"] as? Int == count
    }
    let ended = ContinuousClock.now - start
    #expect(last["failed"] as? Int == 0)
    print(
      """
      \(count) jobs: accepted in \(accepted) (\(rate(accepted))/s), ended in \(ended) (\(rate(ended))/s); \
      peak memory: coordinator \(try coordinator.peakMemory() >> 20) MiB, worker \(try worker.peakMemory() >> 20) MiB
      """)
    for process in [worker, coordinator] { try await process.close() }
  }

  private func rate(_ time: Duration) -> Int { Int(Double(ThroughputTests.count) / (time / .seconds(1))) }
}
