import AuditSupport
import JobModel

extension Epilogue {
  /// A worker is given up, and comes back with what it has done: meanwhile others run its jobs, and theirs are the runs that
  /// count.
  func countsOneRun() async throws {
    guard world.chance(40), world.workers.count(where: \.isAlive) > 1 else { return }
    for _ in 1...4 { client.submit(job("quick", Script(length: .seconds(5))), Wanted()) }
    try await wait(for: "runs") { world.workers.contains { $0.isAlive && !$0.handlers.isEmpty } }
    guard let worker = world.some(of: world.workers.filter { $0.isAlive && !$0.handlers.isEmpty }) else { return }
    world.cutAll(of: worker, noticed: .milliseconds(world.number(5_200...8_500)))
    try await wait(for: "the end of jobs that run twice") { client.isIdle }
    // A worker that was given up is back: else it would not hear what is ordered next.
    try await waitForWorkers()
  }
}
