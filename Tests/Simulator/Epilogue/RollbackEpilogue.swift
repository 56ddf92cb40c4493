import AuditSupport
import JobModel

// The ledger is rolled back, and nobody has been told anything that it does not know.
extension Epilogue {
  /// A worker has read later numbers than the coordinator uses from then on, and still gets its answers: what is
  /// submitted then comes to its end.
  func goesBack() async throws {
    guard coordinator.second == nil else { return }
    try coordinator.file.backUp()
    for _ in 1...2 {
      guard world.failures.isEmpty, coordinator.phase == .serving else { return }
      try coordinator.endSession("it looks whether it still is the one")
      try await wait(for: "a new session") { coordinator.phase == .serving }
    }
    let first = once(.seconds(3))
    client.submit(first, Wanted(outcomes: [.succeeded, .failed]))
    try await wait(for: "a run that was asked for") {
      world.workers.contains { $0.handlers.keys.contains { $0.job == first.id } }
    }
    guard world.failures.isEmpty else { return }
    try world.suffer(.rollBack)
    try await wait(for: "a session with the earlier ledger") { coordinator.phase == .serving }
    client.submit(once(.milliseconds(10)), Wanted(outcomes: [.succeeded, .failed]))
  }

  /// A job that is claimed before it runs, since it may run once.
  private func once(_ length: Duration) -> Submission {
    var job = job("once", Script(length: length))
    job.maxAttempts = 1
    return job
  }
}
