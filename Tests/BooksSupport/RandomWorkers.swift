import Decisions
import JobModel
import JobTransport
import Ledger

@testable import Bookkeeping

/// What workers do and say.
extension RandomBooks {
  mutating func report() async throws {
    for _ in 0..<number(1...3) {
      guard var assignment = someAssignment() else { return }
      if chance(30), let live = await books.bookkeeper.released[assignment.job] {
        assignment.release = live.release
        assignment.token = live.progress.token
      }
      let result = some(of: [AttemptResult.done, .done, .broken, .hopeless, .snoozed, .discarded]) ?? .done
      let report = books.report(assignment, result)
      // Ahead of its durable message, behind it, or without it.
      if chance(30) { try await books.bookkeeper.recordEarly([report], from: [nil]) }
      if chance(90) { try await books.record(report) }
      if chance(10) { try await books.bookkeeper.recordEarly([report], from: [nil]) }
    }
  }

  mutating func claim() async throws {
    let live =
      Array(await books.bookkeeper.released.values.map(\.release)) + Array(await books.bookkeeper.voidPlaces.keys)
    guard let worker = some(of: workers), let release = chance(60) ? some(of: live) : someAssignment()?.release else {
      return
    }
    claims += 1
    try await books.claim(release, by: worker, number: claims)
  }

  /// Every worker has read the last probe, and runs nothing.
  mutating func agree() async throws {
    for worker in workers {
      try await books.present(worker, tellers: Self.tellers, kinds: kinds[worker], probe: lastProbe, at: now)
    }
    try await listen()
    try await returnFence()
  }

  static let kinds: Set<JobKind> = ["deposit", "loan", "step", "vault"]
  private static let tellers = ["work": 2, "init": 1, "capped": 2]

  mutating func returnFence() async throws {
    let returned = fences
    fences = []
    for number in returned { try await books.record(.fence(number: number, ledger: books.ledger.id)) }
  }

  mutating func present() async throws {
    guard let worker = some(of: workers) else { return }
    let running = chance(20) ? someAssignment().map { [RunningRelease(release: $0.release, token: $0.token)] } : nil
    try await books.present(
      worker, tellers: Self.tellers, kinds: kinds[worker], probe: chance(80) ? lastProbe : 0, running: running ?? [],
      isDraining: chance(5), isGoodbye: chance(5), at: now)
  }

  /// A worker is replaced by one with other handlers, or with the same.
  mutating func deploy() async throws {
    guard let worker = some(of: workers) else { return }
    kinds[worker] = chance(10) ? nil : chance(50) ? Self.kinds : Self.kinds.filter { _ in chance(60) }
    try await present()
  }

  /// Tellers are shared out, and what was told to be removed is.
  mutating func share() async throws {
    now += .seconds(chance(30) ? 11 : 1)
    try await books.bookkeeper.shareTellers(at: now)
    try await listen()
    for queue in closing {
      happened.insert(.queueGone)
      try await books.bookkeeper.kindQueueIsGone(queue)
    }
    closing = []
    for desk in await books.bookkeeper.books.values where desk.unserved > 0 { happened.insert(.heldForHandler) }
  }

  mutating func giveBack() async throws {
    guard let assignment = someAssignment(), let worker = some(of: workers) else { return }
    happened.insert(.returned)
    try await books.giveBack(assignment.release, by: worker)
  }

  mutating func drop() async throws {
    let void = Array(await books.bookkeeper.voidPlaces.keys)
    guard let release = chance(90) ? some(of: void) : someAssignment()?.release else { return }
    try await books.drop(release)
  }

  mutating func adopt() async throws {
    guard let assignment = someAssignment(), let worker = some(of: workers) else { return }
    try await books.adopt(assignment, by: worker)
  }
}
