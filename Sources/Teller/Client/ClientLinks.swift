import AMQP
import JobTransport
import Synchronization

/// One pair of connections of a client, from its opening to its loss.
struct ClientLink: Sendable {
  /// Counts the client's pairs, from 1.
  let number: Int
  let consuming: Connection
  let publishing: Connection
  /// Fulfilled when the pair is lost.
  let lost = OneShot<Void>()

  /// Publishes messages in their order. A task that waits for this can be cancelled, unlike one that waits for the
  /// connection's own call; the messages may arrive all the same.
  func publish(_ messages: [Publishing]) async throws -> [PublishResult] {
    let publishing = publishing
    return try await OneShot.running { try await publishing.publish(contentsOf: messages) }.value
  }
}

/// The present pair of connections of a client, and the tasks that wait for one.
final class ClientLinks: Sendable {
  private struct State {
    var present = OneShot<ClientLink>()
    var number = 0
    var link: ClientLink?
    /// Since when there is no pair; nil while there is one.
    var lostAt: ContinuousClock.Instant? = .now
    var isEnded = false
  }

  private let state = Mutex(State())

  /// The present pair; waits until there is one.
  ///
  /// - Throws: the error of ``end(_:)`` when there will be no other pair, or `CancellationError`.
  var current: ClientLink {
    get async throws { try await state.withLock { $0.present }.value }
  }

  /// The pair after the one with that number, of which 0 is none; waits until there is one.
  func next(after number: Int) async throws -> ClientLink {
    let link = try await current
    if link.number != number { return link }
    try await link.lost.value
    return try await current
  }

  var present: ClientLink? { state.withLock { $0.link } }

  /// How long there has been no pair.
  var lostFor: Duration {
    state.withLock { state in state.lostAt.map { .now - $0 } ?? .zero }
  }

  func connected(_ consuming: Connection, _ publishing: Connection) -> ClientLink {
    let (link, waiting) = state.withLock { state in
      state.number += 1
      let link = ClientLink(number: state.number, consuming: consuming, publishing: publishing)
      state.link = link
      state.lostAt = nil
      return (link, state.present)
    }
    waiting.fulfil(.success(link))
    return link
  }

  func disconnected(_ link: ClientLink) {
    state.withLock { state in
      guard state.link?.number == link.number else { return }
      state.link = nil
      state.lostAt = .now
      if !state.isEnded { state.present = OneShot() }
    }
    link.lost.fulfil()
  }

  /// Notes that there will be no other pair.
  func end(_ error: TellerError) {
    let (waiting, link) = state.withLock { state in
      let waiting = state.present
      let link = state.link
      state.isEnded = true
      state.link = nil
      // A fulfilled one would go on giving its pair.
      state.present = OneShot()
      state.present.fulfil(.failure(error))
      return (waiting, link)
    }
    waiting.fulfil(.failure(error))
    link?.lost.fulfil()
  }
}
