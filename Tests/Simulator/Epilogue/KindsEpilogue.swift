import AuditSupport
import Bookkeeping
import JobModel
import JobTransport
import Teller

// What must work while only some workers have a handler for a kind, so that its jobs have a queue of their own.
extension Epilogue {
  /// A worker that has no handler for some kinds comes, and goes again.
  func servesKinds() async throws {
    // What is void keeps a place, perhaps one of a reserve.
    try await wait(for: "places that are free") { try reading.tallies().allSatisfy { $0.value.void == 0 } }
    let guest = try await invite(lacking: ["aside", "flaky", "step"])
    let parts = [servesKindInOrder, fillsPart, keepsPartAfterRestarts, takesTurns, waitsForRemoval]
    for part in parts where world.failures.isEmpty && world.chance(60) {
      try await part()
    }
    if world.failures.isEmpty, world.chance(50) { try await ages() }
    if world.failures.isEmpty { try await servesKindAfterwards(guest) }
    if guest.isAlive { guest.end() }
    world.workers.removeAll { $0 === guest }
  }

  /// A worker that nobody starts again.
  private func invite(lacking kinds: Set<JobKind>) async throws -> WorkerNode {
    var setting = world.workers[0].setting
    setting.kinds = HandlerKinds.all.subtracting(kinds)
    let guest = WorkerNode("guest", world, setting)
    world.workers.append(guest)
    guest.begin()
    try await wait(for: "the welcome of a worker") { guest.state.isWelcomed && !knowing.isEmpty }
    return guest
  }

  /// The workers that have a handler for each kind.
  private var knowing: [WorkerNode] { world.workers.filter { $0.hasAllKinds && $0.state.isWelcomed } }

  func tellers(of worker: WorkerNode) -> Int? {
    worker.state.presence(isGoodbye: false, stuck: [:], at: worker.instant).tellers[Departments.work.name]
  }

  private func asides(_ count: Int, _ length: Duration = .milliseconds(700)) -> [JobID] {
    let jobs = (0..<count).map { _ in job("aside", Script(length: length)) }
    for job in jobs { client.submit(job, Wanted(outcomes: [.succeeded, .cancelled])) }
    return jobs.map(\.id)
  }

  func window() async throws -> Int {
    let books = try books
    let status = try await books.status(broker: .connected, at: try coordinator.withBooks { $0.monotonic })
    return status.departments.first { $0.department == Departments.work }?.window ?? 3
  }

  /// In an ordered department, too: one goes after the other.
  private func servesKindInOrder() async throws {
    for _ in 1...3 {
      var step = job("step", Script(length: .milliseconds(50)))
      step.department = Departments.ordered
      client.submit(step, Wanted())
    }
    try await wait(for: "the end of jobs of a kind in an ordered department") { client.isIdle }
  }

  /// The part of a kind is filled again and again, also where some of its jobs are taken back.
  private func fillsPart() async throws {
    let window = try await window()
    for _ in 1...2 {
      let ids = asides(window + 6)
      var (isTakenBack, isFull) = (false, false)
      try await wait(for: "the end of many jobs of a kind") {
        try await checkPart(window)
        isFull = try isFull || reading.queue(of: "aside", in: Departments.work).held > 0
        if isFull, !isTakenBack {
          isTakenBack = true
          try takeBack(3, of: ids)
        }
        return client.isIdle
      }
    }
  }

  /// Takes the last of these jobs back that are released.
  private func takeBack(_ count: Int, of ids: [JobID]) throws {
    let states = try reading.states(of: ids)
    let last = Array(ids.filter { states[$0] == 1 }.suffix(count))
    if !last.isEmpty { client.command(.cancel(JobSelection(jobs: last)), about: last) }
  }

  /// Whoever starts anew gives no kind more than its part.
  private func keepsPartAfterRestarts() async throws {
    let window = try await window()
    _ = asides(window + 12)
    for _ in 1...3 where world.failures.isEmpty {
      try await world.run(until: world.now + .milliseconds(300))
      coordinator.end()
      world.superviseSoon(coordinator)
      try await wait(for: "a coordinator that serves again") { coordinator.phase == .serving }
    }
    try await wait(for: "the end of many jobs of a kind") {
      try await checkPart(window)
      return client.isIdle
    }
  }

  /// As long as jobs of the kind wait for room alone, its part of the window is taken, and one place of their level's
  /// reserve; and no more, but for one message that a job has left behind when it was moved to another level. What is
  /// free just now is taken in a moment.
  private func checkPart(_ window: Int) async throws {
    var last: (text: String, isLack: Bool)?
    for look in 0...Epilogue.looksAgain where world.failures.isEmpty {
      if look > 0 { try await world.run(until: world.now + .milliseconds(900)) }
      last = try wrong(window)
      if last == nil { return }
    }
    guard let last else { return }
    if last.isLack, try await waitsForVoid(window) { return }
    fail(last.text)
  }

  private static let looksAgain = 3

  /// Whether releases that are void have the rest of the window, and are few, or become fewer.
  private func waitsForVoid(_ window: Int) async throws -> Bool {
    guard try reading.placesTaken(in: Departments.work) >= window else { return false }
    var most = 0
    let end = world.now + Epilogue.longestForVoid
    while world.now < end, world.failures.isEmpty {
      let void = try reading.tallies()[Departments.work]?.void ?? 0
      if void <= Epilogue.fewVoid || void < most { return true }
      most = void
      try await world.run(until: world.now + .milliseconds(300))
    }
    return false
  }

  /// So few are no reason to look longer; of more the first one is dropped by then.
  private static let fewVoid = 3
  private static let longestForVoid: Duration = .seconds(20)

  /// What is wrong with the part of the kind, and whether too little of it is taken; nil: nothing, as far as that can
  /// be said now.
  private func wrong(_ window: Int) throws -> (text: String, isLack: Bool)? {
    // Each worker has said by then which handlers it has.
    guard coordinator.phase == .serving, coordinator.closing.isEmpty, world.now - coordinator.began > .seconds(6) else {
      return nil
    }
    let queues = try coordinator.withBooks { $0.kindQueues }.filter { $0.department == Departments.work }
    let part = max(1, window / (queues.count { $0.kind != "aside" } + 2))
    let queue = try reading.queue(of: "aside", in: Departments.work)
    let taken = queue.released + queue.void
    // Jobs of others, such as those that have come from before, may have all other places.
    let isFull = try taken + reading.released(in: Departments.work, butOf: "aside") >= window
    if queue.held > 0, queue.released > 0, taken < part + 1, !isFull {
      return ("\(queue.held) jobs of a kind wait for room, and \(taken) of \(part) places and one more are taken", true)
    }
    guard taken > part + 2 else { return nil }
    return ("\(taken) places are taken by jobs of a kind, and its part is \(part), and one more", false)
  }

  /// A worker with too few tellers serves one queue after the other: what is in one does not keep another waiting.
  private func takesTurns() async throws {
    let workers = knowing.count
    guard workers <= 2 else { return }
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 1)))
    try await wait(for: "fewer tellers") {
      client.isIdle && knowing.allSatisfy { tellers(of: $0) == 1 }
    }
    let many = asides(30 * workers, .milliseconds(400))
    let other = job("flaky", Script(length: .milliseconds(10)))
    client.submit(other, Wanted())
    try await wait(for: "the end of a job of another kind") {
      let states = try reading.states(of: many + [other.id])
      let hasEnded = (states[other.id] ?? 0) > 1
      if !hasEnded, many.allSatisfy({ (states[$0] ?? 0) > 1 }) { fail("a kind waits until another one has no jobs") }
      return hasEnded
    }
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 2)))
    try await wait(for: "the end of all jobs of a kind") { client.isIdle }
  }

  /// A job whose time comes while the queue of its kind is being removed waits until the queue is gone.
  private func waitsForRemoval() async throws {
    _ = asides(1, .milliseconds(10))
    try await wait(for: "the end of a job of a kind") { client.isIdle }
    var late = job("aside", Script(length: .milliseconds(10)))
    late.runAt = .within(.seconds(15))
    client.submit(late, Wanted(delay: .seconds(15)))
    try await world.run(until: world.now + .seconds(8))
    // Nobody hears that the queue is to be removed.
    world.broker.setAlarmed(true)
    try await world.run(until: world.now + .seconds(9))
    world.broker.setAlarmed(false)
    world.readOn()
    try await wait(for: "the end of a job whose queue was removed") { client.isIdle }
  }

  /// When the last worker without a handler is gone, everything goes to the queue of the department.
  private func servesKindAfterwards(_ guest: WorkerNode) async throws {
    _ = asides(try await window() + 6)
    try await wait(for: "jobs of a kind that wait for room") {
      try reading.queue(of: "aside", in: Departments.work).held > 0 || client.isIdle
    }
    guest.end()
    try await wait(for: "the end of jobs that waited for room in the queue of their kind") { client.isIdle }
  }
}
