import AuditSupport
import JobModel

extension Epilogue {
  /// Jobs that wait for room come too late at any moment, also just when there is room: rules hear of each of them, as of any
  /// other that has failed.
  func endsLateJobs() async throws {
    guard let window = try await window else { return }
    for _ in 0...window { client.submit(job("quick", Script(length: .milliseconds(700))), Wanted()) }
    for _ in 0..<8 {
      var late = job("hopeless", Script(length: .milliseconds(10)))
      late.startBy = .within(.milliseconds(world.number(500...800)))
      client.submit(late, Wanted(outcomes: [.succeeded, .failed]))
    }
    try await wait(for: "the end of jobs that come too late") { client.isIdle }
  }
}
