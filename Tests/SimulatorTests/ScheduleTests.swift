import Foundation
import TestSupport
import Testing

@testable import Simulator

@Suite("Schedules")
struct ScheduleTests {
  @Test("new ones hold every promise", .timeLimit(.minutes(10)))
  func hold() async throws {
    var random = SeededRandom(for: "schedules")
    let folder = try TemporaryFolder()
    for _ in 0..<SeededRandom.length(5, long: 200) {
      let seed = UInt64.random(in: 0...(1 << 48), using: &random)
      let verdict = try await Schedule.run(seed: seed, in: folder.url.appending(path: "schedule"))
      #expect(verdict.holds, "Deploy/simulate --seed \(seed): \(verdict.violations)")
      #expect(verdict.jobs > 0 && verdict.events > 100)
    }
  }
}
