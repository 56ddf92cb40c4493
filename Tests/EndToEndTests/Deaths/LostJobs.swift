import SystemSupport
import TestSupport
import Testing

extension RunningProcess {
  /// Expects a coordinator to find that so many jobs were lost on their way, and no more.
  func expectLost(_ jobs: Int) async throws {
    try await eventually("\(jobs) jobs are told as lost", within: TellerSystem.limit) {
      text(of: .standardError).count { $0.contains("job was lost") } >= jobs
    }
    let lost = text(of: .standardError).count { $0.contains("job was lost") }
    #expect(lost == jobs)
  }
}
