import AsyncAlgorithms
import Teller

/// One day at the bank: its opening, its customers, and its report.
struct Day: Sendable {
  /// How often the coordinator is asked why the day does not go on.
  private static let watchInterval: Duration = .seconds(1)
  /// How long one of these questions waits for its answer: that there is none shall be seen soon.
  static let patience: Duration = .seconds(2)

  let client: TellerClient
  /// The client that watches for obstacles, with `patience`.
  let watcher: TellerClient
  let pace: Pace
  let opening: Plan
  let customers: [Customer]

  /// Plays the day.
  ///
  /// - Throws: `TellerError`; `BankError` when the bank could not open; `CancellationError`.
  func play(on display: any Display) async throws -> DayReport {
    let lobby = Lobby(display: display, opening: opening.department, customers: customers)
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
      return try await serve(in: lobby, openedBy: try await open(lobby))
    }
  }

  private func open(_ lobby: Lobby) async throws -> PlanHandle {
    let plan = try await client.submit(opening)
    await lobby.began(plan)
    if let failure = try await plan.outcome().failure { throw BankError.didNotOpen(failure) }
    return plan
  }

  private func serve(in lobby: Lobby, openedBy plan: PlanHandle) async throws -> DayReport {
    let tellersBefore = try await tellers()
    let visits = try customers.map { try $0.submission(at: pace) }
    await lobby.open(for: customers)
    let start = ContinuousClock.now
    let handles = try await client.submit(contentsOf: visits)
    let failed = try await wait(for: handles, in: lobby)
    // The day ends with the last customer's outcome, not with an empty queue.
    let makespan = start.duration(to: .now)
    let tellers = tellersBefore.merging(try await tellers(), uniquingKeysWith: max)
    let closing = Closing(client: client, pace: pace, opening: opening, plan: plan, customers: customers)
    return try await closing.report(failed: failed, makespan: makespan, tellers: tellers)
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
  /// A step of the opening failed for good.
  case didNotOpen(JobFailure)

  var description: String {
    switch self {
    case .didNotOpen(let failure): "the bank did not open: \(failure)"
    }
  }
}
