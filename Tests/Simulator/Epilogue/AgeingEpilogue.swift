import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport

// What must work when jobs wait for long behind others.
extension Epilogue {
  /// A job that has waited for long passes what has come later to its own queue, and nothing is moved for what is in another
  /// one; and the queue of a kind does not fill with what is left behind. All tellers are busy.
  func ages() async throws {
    try await wait(for: "places that are free") { try reading.tallies().allSatisfy { $0.value.void == 0 } }
    let usual = coordinator.configuration
    var hasty = usual
    (hasty.priorityWorth, hasty.schedules) = (.seconds(2), [])
    // Beside the jobs that run.
    hasty.departments[Departments.work] = .init(window: serving.count + 9)
    try await reload(hasty)
    try await occupy()
    guard world.failures.isEmpty else { return }
    let window = try await window()
    submit("quick", level: 0)
    for _ in 0..<window { submit("aside", level: 0) }
    try await world.run(until: world.now + .seconds(4))
    submit("aside", level: 1)
    try await watchAgeing(window)
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 2)))
    try await reload(usual)
    try await wait(for: "the end of jobs that have waited for long") { client.isIdle }
  }

  private func submit(_ kind: JobKind, level: Int) {
    var next = job(kind, Script(length: .milliseconds(10)))
    next.priority = Priority(level) ?? .normal
    client.submit(next, Wanted())
  }

  /// Each worker has one teller, which is busy.
  private func occupy() async throws {
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 1)))
    try await wait(for: "one teller each") { client.isIdle && serving.allSatisfy { tellers(of: $0) == 1 } }
    for _ in serving {
      var long = job("quick", Script(length: .seconds(60)))
      long.priority = Priority(9)
      client.submit(long, Wanted())
    }
    try await wait(for: "tellers that are busy") { serving.allSatisfy { !$0.handlers.isEmpty } }
  }

  private var serving: [WorkerNode] { world.workers.filter(\.isAlive) }

  private func watchAgeing(_ window: Int) async throws {
    let end = world.now + .seconds(22)
    var hasMoved = false
    while world.now < end, world.failures.isEmpty {
      try await world.run(until: world.now + .milliseconds(200))
      if try reading.void(in: Departments.work) > 0 { fail("a job is moved that nothing has passed") }
      let queue = try reading.queue(of: "aside", in: Departments.work)
      hasMoved = hasMoved || queue.void > 0
      let queues = try coordinator.withBooks { $0.kindQueues }.filter { $0.department == Departments.work }
      let most = max(1, window / (queues.count { $0.kind != "aside" } + 2)) + 1 + 2
      // A part, one message that is left behind, and one place in the reserve of each of the two levels.
      if queue.released + queue.void > most {
        fail("\(queue.released) jobs and \(queue.void) void ones are in the queue of a kind, and \(most) may be")
      }
    }
    if !hasMoved { fail("no job is moved that others have passed while it has waited for long") }
  }
}
