import AuditSupport
import Bookkeeping
import JobModel
import JobTransport

// What must work in an ordered department, and with messages so large that a turn tells few of them.
extension Epilogue {
  func keepsOrderOfTurns() async throws {
    for part in [passesLateOnes, takesBackUnpublished] where world.failures.isEmpty && world.chance(60) {
      try await part()
    }
  }

  /// A job of an ordered department that comes too late does not keep those behind it.
  private func passesLateOnes() async throws {
    for round in 1...3 where world.failures.isEmpty {
      let length = Duration.milliseconds(300 * round)
      for isLate in [false, true, false] {
        var step = job("step", Script(length: isLate ? .milliseconds(10) : length))
        step.department = Departments.ordered
        if isLate { step.startBy = .within(length - .milliseconds(12)) }
        client.submit(step, Wanted(outcomes: isLate ? [.succeeded, .failed] : [.succeeded]))
      }
      try await wait(for: "the end of a job behind one that came too late") { client.isIdle }
    }
  }

  /// Jobs that are taken back before they are published again give their places back.
  private func takesBackUnpublished() async throws {
    let jobs = (1...6).map { _ in
      var job = job("quick", Script(length: .milliseconds(10)))
      job.content.payload += [UInt8](repeating: 0x20, count: 2 * 1_024 * 1_024)
      return job
    }
    for job in jobs { client.submit(job, Wanted(outcomes: [.succeeded, .cancelled])) }
    let end = world.now + .milliseconds(50)
    while world.now < end, coordinator.states[jobs[3].id] != .queued, world.failures.isEmpty {
      try await world.run(until: world.now + .microseconds(30))
    }
    coordinator.end()
    let last = jobs.dropFirst().map(\.id)
    client.command(.cancel(JobSelection(jobs: last)), about: last)
    world.superviseSoon(coordinator)
    try await wait(for: "the places of jobs that were taken back") {
      try client.isIdle && (reading.tallies()[Departments.work]?.void ?? 0) == 0
    }
  }
}
