import Decisions
import JobModel
import JobTransport
import Ledger

@testable import Bookkeeping

/// What operators order, and what the coordinator does by itself.
extension RandomBooks {
  mutating func cancel() async throws {
    guard let id = some(of: ids) else { return }
    _ = try await books.cancel(id)
  }

  mutating func rerank() async throws {
    guard let id = some(of: ids), let job = try await books.job(id) else { return }
    let order =
      job.department == "init"
      ? RerankOrder(job: id, rank: number(1...9)) : RerankOrder(job: id, priority: Priority(number(0...9)))
    _ = try await books.bookkeeper.rerank(order, .test)
  }

  mutating func pause() async throws {
    guard let department = some(of: ["work", "init", "capped"] as [Department]) else { return }
    _ = try await books.bookkeeper.setPaused(department, chance(40))
  }

  /// A department changes, goes away, or is back. `init` is an ordered one whenever it is there.
  mutating func configure() async throws {
    let department = some(of: ["work", "init", "capped"] as [Department]) ?? "work"
    let (limit, isGone) = (number(1...6), chance(30))
    try await books.takeOver { configuration in
      configuration.departments[department] =
        isGone
        ? nil : department == "init" ? .init(isOrdered: true) : limit > 3 ? .init(window: limit) : .init(cap: limit)
    }
  }

  /// All departments are there.
  func configureAll() async throws {
    try await books.takeOver {
      $0.departments = ["work": .init(window: 4), "init": .init(isOrdered: true), "capped": .init(cap: 2)]
    }
  }

  mutating func settleFailed() async throws {
    guard let id = some(of: ids) else { return }
    _ = chance(70) ? try await books.bookkeeper.replay([id]) : try await books.bookkeeper.drop([id])
    ids.append(JobID(replayOf: id))
  }

  mutating func operate() async throws {
    guard chance(30) else { return }
    let selection = JobSelection(
      department: chance(50) ? "work" : nil, kind: chance(30) ? some(of: ["deposit", "loan"] as [JobKind]) : nil)
    let action = some(of: [OperationRecord.Action.cancel, .replay, .drop, .reset]) ?? .cancel
    _ = try await books.bookkeeper.begin(action, action == .reset ? JobSelection() : selection)
  }

  mutating func lookAtClock() async throws {
    try await books.lookAtClock(after: .milliseconds(number(0...1_800_000)))
    if chance(10) {
      await books.bookkeeper.goOn(through: 0...1_200, after: books.now)
      try await books.bookkeeper.endUnknownDependencies()
    }
  }

  mutating func age() async throws {
    try await books.bookkeeper.ageReleases(at: books.now + .seconds(number(0...7_200)))
  }

  mutating func lookForLost() async throws {
    try await books.bookkeeper.lookForLost(
      in: chance(50) ? [JobQueue("work"), JobQueue("capped")] : [JobQueue("init")], olderThan: .zero)
  }

  mutating func passLease() async throws {
    now += .seconds(chance(20) ? 20 : 1)
    try await books.bookkeeper.tick(at: now, isBlocked: false)
  }

  mutating func retain() async throws {
    try await books.sendNotifications()
    await books.bookkeeper.beginRetention()
  }

  mutating func confirm() async { books.bookkeeper.confirmed(assignments.suffix(20).map(\.release)) }

  mutating func freeKey() async throws {
    for kind in ["deposit", "loan"] as [JobKind] {
      _ = try await books.bookkeeper.freeKey(kind, "key \(number(0...3))")
      if chance(20) { _ = try await books.bookkeeper.resetKeys(kind, chance(30) ? nil : "key \(number(0...3))") }
    }
  }

  mutating func restart() async throws {
    guard chance(30) else { return }
    (fences, closing) = ([], [])
    books = try await books.succeeded()
    try await books.bookkeeper.tick(at: now, isBlocked: false)
  }

  mutating func reconnect() async throws {
    guard chance(30) else { return }
    (fences, closing) = ([], [])
    try await books.beginSession(at: now)
  }
}
