import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Ledger

/// What is old is removed, and what is still known of it. It comes after everything else was looked at: the ledger lacks
/// the jobs of the schedule then.
struct Afterword {
  private let epilogue: Epilogue
  private var world: World { epilogue.world }
  private var coordinator: CoordinatorNode { epilogue.coordinator }

  init(_ world: World) { epilogue = Epilogue(world) }

  private static let watcher: SubscriberName = "late"

  func play() async throws {
    let (good, bad) = (
      epilogue.job("quick", Script(length: .milliseconds(5))),
      epilogue.job("hopeless", Script(length: .milliseconds(5), .hopeless))
    )
    epilogue.client.submit(good, Wanted())
    epilogue.client.submit(bad, Wanted(outcomes: [.failed]))
    try await epilogue.wait(for: "the end of jobs that are to be removed") { epilogue.client.isIdle }
    guard world.failures.isEmpty, try await remove([good.id, bad.id]) else { return }
    try await dependOnRemoved(good.id, bad.id)
  }

  /// Everything is kept for a moment only.
  ///
  /// - Returns: Whether these jobs are gone.
  private func remove(_ jobs: [JobID]) async throws -> Bool {
    let usual = coordinator.configuration
    if let last = coordinator.streamEnd(of: try epilogue.books.ledger.id) {
      let order = PlaceOrder(Afterword.watcher, at: last, offset: nil)
      _ = try coordinator.withBooks { try $0.keepPlace(order) }
    }
    var hasty = usual
    hasty.retention = RetentionSettings(time: .seconds(1), subscribers: .seconds(1))
    try world.reload(hasty)
    let areGone = try await comes { try epilogue.reading.states(of: jobs).isEmpty }
    if areGone {
      let isForgotten = try await comes { try await epilogue.books.subscriber(Afterword.watcher) == nil }
      if !isForgotten { epilogue.fail("the place of a subscriber is kept that was not seen for long") }
    }
    try world.reload(usual)
    _ = try await comes { !coordinator.isReconfigured }
    return areGone
  }

  /// How they have ended is still known: jobs that wait for them wait no longer.
  private func dependOnRemoved(_ good: JobID, _ bad: JobID) async throws {
    var (after, vain) = (
      epilogue.job("quick", Script(length: .milliseconds(5))), epilogue.job("quick", Script(length: .milliseconds(5)))
    )
    after.after = Dependencies(jobs: [good], rule: .fail)
    vain.after = Dependencies(jobs: [bad], rule: .fail)
    epilogue.client.submit(after, Wanted())
    epilogue.client.submit(vain, Wanted(outcomes: [.failed]))
    try await epilogue.wait(for: "the end of jobs that wait for removed ones") { epilogue.client.isIdle }
    let states = try epilogue.reading.states(of: [after.id, vain.id])
    guard world.failures.isEmpty else { return }
    if states[after.id] != LedgerState.succeeded || states[vain.id] != LedgerState.failed {
      epilogue.fail("jobs that wait for removed ones end otherwise than those tell: \(states)")
    }
  }

  private static let limit: Duration = .seconds(30)

  private func comes(_ isSo: () async throws -> Bool) async throws -> Bool {
    let end = world.now + Afterword.limit
    while world.now < end, world.failures.isEmpty {
      try await world.run(until: world.now + .milliseconds(300))
      if try await isSo() { return true }
    }
    return false
  }
}
