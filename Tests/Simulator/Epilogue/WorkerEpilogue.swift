import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Teller

// What workers are promised, and what is promised of them.
extension Epilogue {
  /// Each of these comes in so many of a hundred epilogues.
  private static let share = 40

  func playWithWorkers() async throws {
    for part in [
      drainsAsTold, letsGoOfDepartments, countsServedTimeAlone, saysWhoIsStuck, chargesForCompany, givesUpQueues,
    ]
    where world.failures.isEmpty && world.chance(Epilogue.share) {
      try await part()
    }
  }

  private var status: TellerStatus {
    get async throws {
      try await coordinator.books.status(broker: .connected, at: try coordinator.withBooks { $0.monotonic })
    }
  }

  /// A worker that was ordered to drain is told again until it says that it does.
  private func drainsAsTold() async throws {
    // The coordinator knows them by then.
    try await waitForWorkers()
    guard let node = world.workers.first(where: { !$0.state.isDraining }) else { return }
    let worker = node.worker
    coordinator.losesDrainOrder = true
    client.command(.drainWorker(DrainOrder(worker: worker.text)))
    try await wait(for: "the end of a worker that was told to drain") { !node.isAlive || node.worker != worker }
    coordinator.losesDrainOrder = false
    try await waitForWorkers()
  }

  /// Until the coordinator knows all workers. One whose connection is cut may not know yet that it was given up.
  func waitForWorkers() async throws {
    try await wait(for: "workers that serve") {
      guard client.isIdle, coordinator.phase == .serving else { return false }
      guard world.workers.allSatisfy({ $0.isAlive && $0.state.isWelcomed }) else { return false }
      let known = Set(try await status.workers.map(\.id))
      return world.workers.allSatisfy { known.contains($0.worker) }
    }
  }

  /// A worker that names a department which is no longer in the configuration ends.
  private func letsGoOfDepartments() async throws {
    let (before, nodes) = (coordinator.configuration, world.workers.filter(\.isAlive))
    let workers = nodes.map(\.worker)
    var wanted = before
    wanted.departments[Departments.capped] = nil
    try world.reload(wanted)
    guard coordinator.configuration.departments[Departments.capped] == nil else { return try world.reload(before) }
    try await wait(for: "the end of workers that name a department which is gone") {
      zip(nodes, workers).allSatisfy { !$0.isAlive || $0.worker != $1 }
    }
    try world.reload(before)
    try await waitForWorkers()
  }

  /// A job waits ten minutes for one that nobody has submitted. Time in which nobody could does not count.
  private func countsServedTimeAlone() async throws {
    // Where clocks were set, an id may look old.
    guard coordinator.second == nil, !world.faults.contains(.stepClock) else { return }
    let first = job("quick", Script(length: .milliseconds(10)))
    var second = job("quick", Script(length: .milliseconds(10)))
    second.after = Dependencies(jobs: [first.id], rule: .fail)
    client.submit(second, Wanted(after: first.id))
    try await wait(for: "a job that waits for an unknown one") { try state(of: second) == 0 }
    world.isBrokerUp = false
    world.broker.crash()
    world.takeOutput()
    try await world.run(until: world.now + Dependencies.unknownLimit + .seconds(60))
    world.isBrokerUp = true
    try await wait(for: "a coordinator that serves again") { coordinator.phase == .serving }
    // A command whose ack was undone may have been carried out once more.
    world.serveAll()
    // It looks for jobs that have waited for too long from time to time.
    try await world.run(until: world.now + .seconds(25))
    if try state(of: second) != 0 { return fail("\(second.id) ends since nobody could submit what it waits for") }
    client.submit(first, Wanted())
    try await wait(for: "the end of a job and of the one before it") { client.isIdle }
  }

  /// The node of a queue has its time to come back, and no more: then the queue is to be made anew.
  private func givesUpQueues() async throws {
    let queue = Topology.Queue.department(Departments.work)
    try coordinator.withBooks { $0.suspectDownQueues(since: $0.monotonic) }
    let began = world.now
    var isGivenUp = false
    while !isGivenUp, world.now - began < DownQueues.limit * 2, world.failures.isEmpty {
      isGivenUp = try coordinator.withBooks { $0.lookAt(down: [queue]).renewed == [queue] }
      if isGivenUp, world.now - began < DownQueues.limit {
        fail("\(queue) is given up before its node has had its time")
      }
      if !isGivenUp { try await world.run(until: world.now + .seconds(1)) }
    }
    if !isGivenUp { fail("nobody gives \(queue) up, whose node is down for long") }
    try coordinator.withBooks { $0.renewed(queue) }
  }

  private func state(of job: Submission) throws -> Int? { try reading.states(of: [job.id])[job.id] }

  /// A job in a queue whose tellers are all stuck waits for no free one.
  private func saysWhoIsStuck() async throws {
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 1)))
    try await wait(for: "the answer to a command") { client.isIdle }
    for _ in 0..<4 * world.workers.count {
      var job = job("quick", Script(length: .milliseconds(10), .deaf))
      job.timeout = .milliseconds(300)
      job.maxAttempts = 1
      client.submit(job, Wanted(outcomes: [.failed], mayBeReplayed: true))
    }
    let end = world.now + .seconds(60)
    while world.now < end, world.failures.isEmpty, !client.isIdle {
      try await world.run(until: world.now + .milliseconds(200))
      try await Looks(coordinator).lookAtStuck(try await status, try reading.openJobs())
    }
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 2)))
    try await wait(for: "the end of handlers that are stuck") { client.isIdle }
  }
}

// Jobs that were running when workers died.
extension Epilogue {
  /// A job is charged for the death of its worker where no other job can have been the cause, and only there.
  fileprivate func chargesForCompany() async throws {
    guard world.workers.count == 1, let node = world.workers.first, node.isAlive else { return }
    let suspect = job("quick", Script(length: .seconds(600)))
    client.submit(suspect, Wanted(outcomes: [.cancelled]))
    for deaths in 1...2 { try await die(node, running: suspect, deaths: deaths) }
    try await waitForRun(of: suspect, on: node)
    // Another one runs beside it.
    client.command(.resize(ResizeOrder(department: Departments.work, tellers: 3)))
    let isCharged = world.chance(50)
    let hadCompany = isCharged ? try await runsOneBeside() : try await isBesideStuckOne(on: node)
    if hadCompany, world.failures.isEmpty {
      try await die(node, running: suspect, deaths: 3)
      let attempt = try reading.findings().jobs[suspect.id]?.attempt
      if world.failures.isEmpty, attempt != (isCharged ? 2 : 1) {
        fail("a job is in attempt \(attempt ?? 0) after a death \(isCharged ? "of its own" : "in company")")
      }
    }
    client.command(.cancel(JobSelection(jobs: [suspect.id])), about: [suspect.id])
    try await wait(for: "the end of a job that was cancelled") { client.isIdle && node.handlers.isEmpty }
  }

  private func waitForRun(of job: Submission, on node: WorkerNode) async throws {
    try await wait(for: "a run of \(job.id)") { node.isAlive && node.handlers.keys.contains { $0.job == job.id } }
  }

  /// The worker is killed when it has told what it runs.
  private func die(_ node: WorkerNode, running job: Submission, deaths: Int) async throws {
    if deaths < 3 {
      try await waitForRun(of: job, on: node)
      try await world.run(until: world.now + .seconds(4))
    }
    guard world.failures.isEmpty else { return }
    world.kill(node)
    try await wait(for: "death \(deaths) of a worker") { try reading.deaths(of: job.id) == deaths }
  }

  /// Another one ran beside it, and has ended since the worker has told what it runs.
  private func runsOneBeside() async throws -> Bool {
    let other = job("quick", Script(length: .milliseconds(2_600)))
    client.submit(other, Wanted())
    try await wait(for: "the end of another job") { try state(of: other) == LedgerState.succeeded }
    return true
  }

  /// Another one was cancelled, and runs on. Its message is acked: no other worker can give it back.
  private func isBesideStuckOne(on node: WorkerNode) async throws -> Bool {
    let other = job("quick", Script(length: .milliseconds(10), .deaf))
    client.submit(other, Wanted(outcomes: [.cancelled]))
    try await waitForRun(of: other, on: node)
    try await world.run(until: world.now + node.setting.adoptAfter + .seconds(5))
    client.command(.cancel(JobSelection(jobs: [other.id])), about: [other.id])
    try await wait(for: "a job that is cancelled") { try state(of: other) == LedgerState.cancelled }
    return node.handlers.keys.contains { $0.job == other.id }
  }
}

extension Looks {
  /// Where all tellers of a department are stuck, no job waits for a free one.
  func lookAtStuck(_ status: TellerStatus, _ jobs: [JobID]) async throws {
    for job in jobs.prefix(status.workers.count + 4) {
      guard let told = try await node.books.explain(job), told.reasons.map(\.hold) == [.queue],
        let department = status.departments.first(where: { $0.department == told.department }),
        department.tellers > 0, department.stuckTellers >= department.tellers,
        !status.workers.contains(where: \.isDraining)
      else { continue }
      world.failures.append(
        "\(node.name) says that \(job) waits for a free teller, and all \(department.tellers) are stuck: \(told)")
    }
    let stuck = status.departments.contains { $0.tellers > 0 && $0.stuckTellers >= $0.tellers && $0.queued > 0 }
    world.sometimes.note(.behindStuck, if: stuck)
  }
}
