import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Synchronization

/// Publishes assignments. The next ones leave while the confirms of the last are outstanding, up to a limit.
final class Releaser: Sendable {
  /// The most assignments without a confirm, before the next ones leave.
  static let limit = 2_048

  private struct State {
    var underWay = 0
    var failure: (any Error)?
  }

  private let bookkeeper: Bookkeeper
  private let connection: Connection
  private let outbox: Outbox
  private let state = Mutex(State())
  /// Fired with each answer of the broker.
  private let answered = Signal()

  init(_ bookkeeper: Bookkeeper, _ connection: Connection, _ outbox: Outbox) {
    (self.bookkeeper, self.connection, self.outbox) = (bookkeeper, connection, outbox)
  }

  /// Publishes assignments once there is room for them. Does not wait for their confirms.
  ///
  /// - Throws: the error of an earlier assignment that the broker did not take. That ends the session: the next one declares
  ///   what is missing, and publishes again what is not known to be in its queue, to be claimed.
  func publish(_ assignments: [Assignment]) async throws {
    if assignments.isEmpty { return }
    try await wait { $0 < Releaser.limit }
    FaultPoint.reached("releaser.before-publish")
    state.withLock { $0.underWay += assignments.count }
    try connection.publish(contentsOf: assignments.map(AssignmentCodec.encode)) { self.take($0, assignments) }
  }

  /// Waits until the broker has answered all.
  func settle() async throws { try await wait { $0 == 0 } }

  private func wait(until isEnough: (Int) -> Bool) async throws {
    while true {
      let state = state.withLock(\.self)
      if let failure = state.failure { throw failure }
      if isEnough(state.underWay) { return }
      _ = await answered.wait()
      try Task.checkCancellation()
    }
  }

  private func take(_ answer: Result<[PublishResult], AMQPError>, _ assignments: [Assignment]) {
    let failure = failure(in: answer, assignments)
    state.withLock { state in
      state.underWay -= assignments.count
      state.failure = state.failure ?? failure
    }
    answered.fire()
    // Else nobody would notice before there is no room.
    if failure != nil { outbox.abandon() }
  }

  private func failure(in answer: Result<[PublishResult], AMQPError>, _ assignments: [Assignment]) -> (any Error)? {
    let results: [PublishResult]
    switch answer {
    case .failure(let error): return error
    case .success(let all): results = all
    }
    FaultPoint.reached("releaser.after-confirm")
    // Mostly all are, and to filter assignments copies them.
    if results.count == assignments.count, results.allSatisfy({ $0 == .confirmed }) {
      bookkeeper.confirmed(assignments.map(\.release))
      return nil
    }
    let confirmed = zip(assignments, results).filter { $1 == .confirmed }.map(\.0.release)
    bookkeeper.confirmed(confirmed)
    let refused = zip(assignments, results).compactMap { assignment, result in
      result.refusal.map { RefusedRelease(release: assignment.release, reason: $0) }
    }
    if !refused.isEmpty { end(refused) }
    let nacked = zip(assignments, results).filter { $1 == .nacked }.map(\.0.release)
    if !nacked.isEmpty { Task { await bookkeeper.notTaken(nacked) } }
    return confirmed.count + refused.count + nacked.count == assignments.count
      ? nil : AMQPError.connectionLost(reason: "no queue takes assignments")
  }

  /// What the broker does not take takes out its own job alone.
  private func end(_ refused: [RefusedRelease]) {
    Task {
      do {
        try await bookkeeper.end(refused)
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
        answered.fire()
        outbox.abandon()
      }
    }
  }
}
