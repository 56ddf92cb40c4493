import AsyncAlgorithms
import Teller

/// One day at the bank: customers at the door, its opening, its customers, and its report.
struct Day: Sendable {
  /// How often the coordinator is asked why the day does not go on.
  private static let watchInterval: Duration = .seconds(1)
  /// How long one of these questions waits for its answer: that there is none shall be seen soon.
  static let patience: Duration = .seconds(2)

  let client: TellerClient
  /// The client that watches for obstacles, with `patience`.
  let watcher: TellerClient
  let pace: Pace
  let customers: [Customer]
  /// How long the customers wait for the event that the bank is open, when its outcome is known.
  var eventPatience = Day.patience

  /// One in so many customers comes before the opening.
  private static let earlyShare = 6

  /// Plays the day.
  ///
  /// - Throws: `TellerError`; `BankError` when the bank could not open; `CancellationError`.
  func play(on display: any Display) async throws -> DayReport {
    let lobby = Lobby(display: display, customers: customers)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      // First of all: everything that follows may have to wait.
      group.addTask { await watchForObstacles(in: lobby) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: .milliseconds(100), clock: .continuous) { await lobby.tick() }
      }
      // Before the first submission, so that no event is missed.
      let events = try await client.events(since: .now)
      group.addTask { try? await lobby.follow(events) }
      return try await open(in: lobby)
    }
  }

  /// Some customers come before the opening, and wait at the door; the others when the bank is open.
  private func open(in lobby: Lobby) async throws -> DayReport {
    let early = Array(customers.prefix(customers.count / Day.earlyShare))
    let plan = try await client.plan(Opening.plan)
    await lobby.sees(plan)
    if plan.phase == .open { return try await serve(waiting: [], [], customers, in: lobby) }
    await lobby.arrive(early)
    let waiting = try await submit(early)
    let opening = try await client.startPlan(Opening.plan, payload: Opening.payload(at: pace))
    try await opening.accepted()
    // Somebody may have started the plan before, such as another day: then that run is the opening.
    await lobby.began(opening.duplicateOf ?? opening.id)
    await lobby.began(try await client.plan(Opening.plan))
    // It comes in the middle of the opening, and waits for its rank; after a very fast one it is announced.
    let push = try await push("offers")
    if let failure = try await opening.outcome().failure { throw BankError.didNotOpen(failure) }
    return try await serve(waiting: waiting, [push], Array(customers.dropFirst(early.count)), in: lobby)
  }

  private func serve(
    waiting: [JobHandle<Receipt>], _ pushes: [JobHandle<JSONValue>], _ late: [Customer], in lobby: Lobby
  ) async throws -> DayReport {
    let start = ContinuousClock.now
    await lobby.open(for: late, within: eventPatience)
    let handles = try await submit(late)
    let tellersBefore = try await tellers()
    // It comes when the bank is open: nobody acts on it before somebody accepts it.
    let pushes = pushes + [try await push("weather")]
    let failed = try await wait(for: waiting + handles, in: lobby)
    // The day ends with the last customer's outcome, not with an empty queue.
    let makespan = start.duration(to: .now)
    for push in pushes { _ = try await push.outcome() }
    let tellers = tellersBefore.merging(try await tellers(), uniquingKeysWith: max)
    let closing = Closing(client: client, pace: pace, customers: customers)
    return try await closing.report(failed: failed, makespan: makespan, tellers: tellers)
  }

  /// Sends a push. When it is only announced, accepts it.
  func push(_ page: String) async throws -> JobHandle<JSONValue> {
    let push = try await client.send(Opening.push, payload: Opening.page(page))
    try await push.accepted()
    if try await client.event(push.id).state == .announced { try await client.acceptEvent(push.id) }
    return push
  }

  private func submit(_ customers: [Customer]) async throws -> [JobHandle<Receipt>] {
    if customers.isEmpty { return [] }
    return try await client.submit(contentsOf: try customers.map { try $0.submission(at: pace) })
  }

  /// Tells why the day does not go on: otherwise it would wait in silence.
  private func watchForObstacles(in lobby: Lobby) async {
    for await _ in AsyncTimerSequence(interval: Day.watchInterval, clock: .continuous) {
      do {
        await lobby.heard(try await watcher.status().departments)
      } catch let error as TellerError {
        if let obstacle = Obstacle(error) { await lobby.unanswered(obstacle) }
      } catch {
        // The day has ended.
        return
      }
    }
  }

  /// - Returns: How many customers were not served.
  private func wait(for handles: [JobHandle<Receipt>], in lobby: Lobby) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (customer, handle) in zip(customers, handles) {
        group.addTask {
          let outcome = try await handle.outcome()
          await lobby.left(customer, failure: outcome.failure?.description)
          return outcome.failure != nil
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
  }

  private func tellers() async throws -> [Department: Int] {
    let departments = try await client.status().departments
    return Dictionary(departments.map { ($0.department, $0.tellers) }, uniquingKeysWith: { $1 })
  }
}

/// Why there is no report.
enum BankError: Error, CustomStringConvertible {
  /// A required step of the opening failed for good.
  case didNotOpen(JobFailure)

  var description: String {
    switch self {
    case .didNotOpen(let failure): "the bank did not open: \(failure)"
    }
  }
}
