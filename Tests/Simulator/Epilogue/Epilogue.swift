import AuditSupport
import Bookkeeping
import JobModel
import JobTransport
import Ledger

/// What must work when everything is calm again, whatever has happened before: with the same ledger, by the same processes.
struct Epilogue {
  let world: World
  let coordinator: CoordinatorNode
  var client: ClientNode { world.clients[0] }

  init(_ world: World) { (self.world, coordinator) = (world, world.coordinators[0]) }

  /// How long each part may take.
  private static let limit: Duration = .seconds(90)
  /// How long a command may still be on its way that was given before.
  private static let lateCommands: Duration = .seconds(12)

  /// In the order in which they may be played: the last one leaves no room for other subscribers.
  private var parts: [() async throws -> Void] {
    [
      freesKeys, fillsWindows, cancelsWhatIsMeant, keepsPlaces, resetsWhatIsThere, keepsNames, answersAboutKeys,
      resetsKeysOnce, freesKeysOnce, resetsChains, resetsEverything, foresees, carriesOutManyJobs, endsLateJobs,
      countsOneRun, forgetsPlaces, boundsDeadLetterCauses, servesKinds, changesConfiguration, keepsOrderOfTurns, adopts,
      playWithWorkers, boundsSubscribers,
    ]
  }
  /// How many of them are played.
  private static let played = 6

  func play() async throws {
    try await putRight()
    let parts = parts
    let chosen = parts.indices.shuffled(using: &world.random).prefix(Epilogue.played)
    for index in chosen.sorted() where world.failures.isEmpty { try await parts[index]() }
  }

  /// A command of before may have been carried out only lately, such as a pause.
  func putRight() async throws {
    try await world.run(until: world.now + Epilogue.lateCommands)
    world.serveAll()
    world.openGates()
    try await wait(for: "departments that are all served") { client.isIdle }
  }

  var reading: AuditSupport.LedgerReading {
    get throws { try coordinator.file.reading }
  }

  func fail(_ text: String) { world.failures.append("in the end \(text)") }

  func wait(for what: String, _ isSo: () async throws -> Bool) async throws {
    let end = world.now + Epilogue.limit
    while world.now < end, world.failures.isEmpty {
      try await world.run(until: world.now + .milliseconds(200))
      if try await isSo() { return }
    }
    fail("nobody comes to \(what)")
  }

  func job(_ kind: JobKind, _ script: Script) -> Submission {
    var job = Submission(id: world.newID(), kind: kind, payload: script.payload, contentType: "application/json")
    job.department = Departments.work
    job.maxAttempts = 8
    return job
  }

  /// A key that is held while its job lives is free afterwards.
  private func freesKeys() async throws {
    world.record.keysWhileLive.insert("live")
    for _ in 1...2 {
      var next = job("keyed", Script(length: .milliseconds(10)))
      next.key = SubmissionKey(text: "live", window: .whileLive)
      client.submit(next, Wanted())
      try await wait(for: "the end of a job with a key") { client.isIdle }
      if world.record.originals[next.id] != nil { fail("the key of a job that has ended is taken") }
    }
  }

  /// How many jobs the department of most jobs may have released.
  var window: Int? {
    get async throws {
      try await books.status(broker: .connected, at: try coordinator.withBooks { $0.monotonic })
        .departments.first { $0.department == Departments.work }?.window
    }
  }

  /// As long as jobs wait for room alone, every place of the window is taken, and one of the level's reserve.
  private func fillsWindows() async throws {
    guard let window = try await window else { return }
    let jobs = (0..<window + 8).map { _ in job("quick", Script(length: .milliseconds(1_500))) }
    for job in jobs { client.submit(job, Wanted()) }
    try await wait(for: "the jobs of a full window") {
      let tally = try reading.tallies()[Departments.work] ?? LedgerTally()
      let waiting = tally.held - tally.delayed - tally.retrying - tally.dependent - tally.unserved - tally.suspects
      // A release that is void keeps its place until it is dropped: ageing leaves some behind.
      let taken = tally.released + tally.void
      if waiting > 0, taken < window + 1 {
        fail("\(waiting) jobs wait for room, and \(taken) of \(window) places and one more are taken")
      }
      return client.isIdle
    }
  }

  /// A command about some jobs leaves the others alone.
  private func cancelsWhatIsMeant() async throws {
    let jobs = (1...3).map { number in
      var job = job("long", Script(length: .milliseconds(10)))
      job.runAt = .within(.seconds(3_600))
      job.key = SubmissionKey(text: "meant-\(number)", window: .lasting(.seconds(3_000)))
      return job
    }
    for job in jobs { client.submit(job, Wanted(outcomes: [.cancelled])) }
    let ids = jobs.map(\.id)
    try await wait(for: "jobs that are held") { try reading.states(of: ids).count == ids.count }
    var narrowing = JobNarrowing()
    narrowing.key = "meant-1"
    client.command(.cancel(JobSelection(kind: "long", narrowing: narrowing)))
    try await wait(for: "the end of the job that is meant") { try reading.states(of: ids)[ids[0]] ?? 0 > 1 }
    if try ids[1...].contains(where: { try reading.states(of: ids)[$0] != 0 }) { fail("others than are meant end") }
    client.command(.cancel(JobSelection(kind: "long")))
    try await wait(for: "the end of the others") { client.isIdle }
  }

  /// The place of a subscriber never goes back, and none is beyond the last event.
  private func keepsPlaces() async throws {
    guard let last = coordinator.streamEnd(of: try books.ledger.id) else { return }
    let name: SubscriberName = "watcher"
    for (seq, kept) in [(last.seq, last.seq), (last.seq - 1, last.seq), (last.seq + 100_000, nil)] {
      let order = PlaceOrder(name, at: NotificationPosition(epoch: last.epoch, seq: seq), offset: nil)
      let answer = try coordinator.withBooks { try $0.keepPlace(order) }
      if case .success(let status) = answer, status.sequence != kept {
        fail("the place of a subscriber at \(last) is \(status.sequence) after it was told \(seq)")
      }
      if case .failure(let failure) = answer, kept != nil { fail("a subscriber cannot keep its place: \(failure)") }
    }
  }

  var books: Bookkeeper { get throws { try coordinator.books } }
}
