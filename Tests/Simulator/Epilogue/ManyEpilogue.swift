import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// What is promised of commands about many jobs.
extension Epilogue {
  /// Has so many jobs, which wait for an hour.
  private func hold(_ count: Int) async throws {
    let jobs = (0..<count).map { _ in
      var job = job("long", Script(length: .milliseconds(10)))
      job.runAt = .within(.seconds(3_600))
      return job
    }
    for job in jobs { client.submit(job, Wanted(outcomes: [.cancelled])) }
    let ids = jobs.map(\.id)
    try await wait(for: "\(count) jobs that are held") { try reading.states(of: ids).count == count }
  }

  /// A reset of everything ends all that waits, and whoever looks is told of it.
  func resetsEverything() async throws {
    try await hold(3)
    let (session, life) = (coordinator.session, coordinator.life)
    client.command(.reset)
    try await wait(for: "the end of everything") { client.isIdle }
    try await wait(for: "the sight of the last reset") {
      // It is in memory alone.
      guard coordinator.session == session, coordinator.life == life, coordinator.opened != nil else { return true }
      let now = try coordinator.withBooks { $0.monotonic }
      return try await books.showBoard(BoardQuery(), broker: .connected, at: now).lastReset != nil
    }
  }

  /// More jobs than one step of a command looks at.
  private static let many = 300
  private static let chanceOfMany = 40

  /// A command about more jobs than one step looks at comes to all of them, also when its coordinator is killed.
  func carriesOutManyJobs() async throws {
    guard world.chance(Epilogue.chanceOfMany) else { return }
    try await hold(Epilogue.many)
    client.command(world.chance(50) ? .reset : .cancel(JobSelection(kind: "long")))
    if world.chance(50) {
      world.after(.milliseconds(world.number(5...60)), nil, "kills \(coordinator.name)") { [world, coordinator] in
        coordinator.end()
        world.superviseSoon(coordinator)
      }
    }
    try await wait(for: "the end of all jobs that a command is about") { client.isIdle }
    try await wait(for: "a coordinator") { coordinator.phase == .serving }
  }
}
