import AMQP
import JobTransport
import Synchronization

/// A client's connection for replies and answers, from its opening to its loss.
struct ClientLink: Sendable {
  /// Counts the client's connections for replies, from 1.
  let number: Int
  /// The node of the broker that the connection goes to.
  let node: BrokerURL
  let replies: Connection
}

/// The present connection for replies, and the tasks that wait for one.
final class ClientLinks: Sendable {
  private struct State {
    var present = OneShot<ClientLink>()
    var number = 0
    var link: ClientLink?
    /// Since when there is no connection; nil while there is one, and before the client runs.
    var lostAt: ContinuousClock.Instant?
    var hasBegun = false
    var isEnded = false
  }

  private let state = Mutex(State())

  /// The present connection; waits until there is one.
  ///
  /// - Throws: the error of ``end(_:)`` when there will be no other, or `CancellationError`.
  var current: ClientLink {
    get async throws { try await state.withLock { $0.present }.value }
  }

  var present: ClientLink? { state.withLock { $0.link } }

  /// How long there has been no connection.
  var lostFor: Duration {
    state.withLock { state in state.lostAt.map { .now - $0 } ?? .zero }
  }

  /// Whether the client has been started.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Notes that the client runs: from now on there should be a connection.
  func begin() {
    state.withLock { state in
      state.hasBegun = true
      state.lostAt = state.link == nil ? .now : nil
    }
  }

  func connected(_ replies: Connection, to node: BrokerURL) -> ClientLink {
    let (link, waiting) = state.withLock { state in
      state.number += 1
      let link = ClientLink(number: state.number, node: node, replies: replies)
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
  }

  /// Notes that there will be no other connection.
  func end(_ error: TellerError) {
    let waiting = state.withLock { state in
      let waiting = state.present
      state.isEnded = true
      state.link = nil
      // A fulfilled one would go on giving its connection.
      state.present = OneShot()
      state.present.fulfil(.failure(error))
      return waiting
    }
    waiting.fulfil(.failure(error))
  }
}
