import AMQP
import JobTransport
import Synchronization

/// One pair of connections of a client, from connecting to its loss.
struct ClientLink: Sendable {
  /// Counts the client's connections, from 1.
  let number: Int
  let consuming: Connection
  let publishing: Connection
  /// Given when the pair is lost.
  let lost = OneShot<Void>()

  /// Publishes messages in their order. Unlike the connection's own call it can be interrupted; the messages may arrive
  /// all the same.
  func publish(_ messages: [Publishing]) async throws -> [PublishResult] {
    let publishing = publishing
    return try await OneShot.running { try await publishing.publish(contentsOf: messages) }.value
  }
}

/// The connections that a client has at present, and those who wait for them.
final class ClientLinks: Sendable {
  private struct State {
    var present = OneShot<ClientLink>()
    var number = 0
    var link: ClientLink?
    /// When there was none.
    var lostAt: ContinuousClock.Instant? = .now
    var isEnded = false
  }

  private let state = Mutex(State())

  /// The present connections; waits until there are some.
  ///
  /// - Throws: why there will be none, or `CancellationError`.
  var current: ClientLink {
    get async throws { try await state.withLock { $0.present }.value }
  }

  /// The connections after those of that number; waits until there are some.
  func next(after number: Int) async throws -> ClientLink {
    let link = try await current
    if link.number != number { return link }
    try await link.lost.value
    return try await current
  }

  /// The present connections, if there are some.
  var present: ClientLink? { state.withLock { $0.link } }

  /// How long there have been none.
  var lostFor: Duration {
    state.withLock { state in state.lostAt.map { .now - $0 } ?? .zero }
  }

  /// There is a pair of connections, ready to be used.
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

  /// That pair is lost.
  func disconnected(_ link: ClientLink) {
    state.withLock { state in
      guard state.link?.number == link.number else { return }
      state.link = nil
      state.lostAt = .now
      if !state.isEnded { state.present = OneShot() }
    }
    link.lost.fulfil(.success(()))
  }

  /// There will be no other pair.
  func end(_ error: TellerError) {
    let (waiting, link) = state.withLock { state in
      let waiting = state.present
      let link = state.link
      state.isEnded = true
      state.link = nil
      // One that was fulfilled keeps its connections.
      state.present = OneShot()
      state.present.fulfil(.failure(error))
      return (waiting, link)
    }
    waiting.fulfil(.failure(error))
    link?.lost.fulfil(.success(()))
  }
}
