import AMQP
import JobTransport
import Logging
import Synchronization

/// A connection of a client for one purpose, opened when it is first needed, and opened again when it is needed after its
/// loss.
///
/// The broker answers a call that its user may not make by the end of the call's connection. So each exchange has a line
/// of its own: a user who is refused there once is always refused there, and no call to another exchange notices. Only
/// submissions to the early queue share the line of the others, which send again after such a refusal.
final class ClientLine: Sendable {
  /// The use of a line; part of the name that the broker's own tools show.
  enum Purpose: String, Sendable, CaseIterable {
    case submitting, asking, commanding, watching
  }

  private struct State {
    /// The present connection, open or being opened.
    var present: OneShot<Connection>?
    var blocked: String?
    var isEnded = false
  }

  private let purpose: Purpose
  private let source: BrokerSource
  private let name: String
  private let logger: Logger
  private let opening: ClientOpening
  private let state = Mutex(State())

  init(_ purpose: Purpose, _ source: BrokerSource, name: String, logger: Logger, opening: ClientOpening) {
    (self.purpose, self.source) = (purpose, source)
    self.name = "\(name) \(purpose.rawValue)"
    self.logger = logger
    self.opening = opening
  }

  /// Why the broker takes nothing on this line, in its own words; nil: the broker does.
  var blocked: String? { state.withLock { $0.blocked } }

  /// The line's connection, if it is open; nil: it is to be opened first.
  var openConnection: Connection? { state.withLock { $0.present }?.present }

  /// The line's connection; opens one to that node when there is none.
  ///
  /// - Throws: `AMQPError` when none can be opened; `TellerError.closed`, or `CancellationError`.
  func connection(to node: BrokerURL) async throws -> Connection {
    let (present, isNew) = try state.withLock { state in
      if state.isEnded { throw TellerError.closed }
      if let present = state.present { return (present, false) }
      let present = OneShot<Connection>()
      state.present = present
      return (present, true)
    }
    if isNew { Task { await serve(present, node) } }
    return try await present.value
  }

  /// Closes the line for good.
  func end() async {
    let present = state.withLock { state in
      state.isEnded = true
      return state.present
    }
    try? await present?.value.close()
  }

  /// Opens a connection, and looks after it until it has ended.
  private func serve(_ present: OneShot<Connection>, _ node: BrokerURL) async {
    do throws(AMQPError) {
      // The password may have changed since the connection for replies was opened.
      let connection = try await Connection.open(
        source.current(of: node, logger), options: ConnectionOptions(name: name))
      present.fulfil(.success(connection))
      // The line may have ended meanwhile.
      if state.withLock({ $0.isEnded }) { await connection.close() }
      for await event in connection.events { note(event, of: present) }
      forget(present)
    } catch {
      // Forgotten first: whoever hears of the failure may try again at once.
      forget(present)
      present.fulfil(.failure(error))
    }
  }

  /// Forgets a connection, unless there is another one by now.
  private func forget(_ ended: OneShot<Connection>) {
    let wasPresent = state.withLock { state in
      guard state.present === ended else { return false }
      (state.present, state.blocked) = (nil, nil)
      return true
    }
    if wasPresent { opening.learn(purpose, isBlocked: false) }
  }

  private func note(_ event: ConnectionEvent, of present: OneShot<Connection>) {
    switch event {
    case .blocked(let reason):
      state.withLock { $0.blocked = reason }
      opening.learn(purpose, isBlocked: true)
      logger.warning("broker blocked, nothing can be published: \(reason)", metadata: ["connection": "\(name)"])
    case .unblocked:
      state.withLock { $0.blocked = nil }
      opening.learn(purpose, isBlocked: false)
      logger.notice("broker no longer blocked", metadata: ["connection": "\(name)"])
    case .closed(let error?):
      // Forgotten first: whoever reads the log may try again at once.
      forget(present)
      tell(error)
    case .closed(nil), .consumerCancelled, .refused: break
    }
  }

  private func tell(_ error: AMQPError) {
    if case .channelClosed(code: AMQPError.accessRefusedCode, let text) = error {
      logger.warning("the broker refuses a call of this user: \(text)", metadata: ["connection": "\(name)"])
    } else {
      logger.info("a connection is lost: \(error.cause)", metadata: ["connection": "\(name)"])
    }
  }
}

extension Connection {
  /// Publishes messages in their order. A task that is cancelled waits no longer: its messages that were not sent are not
  /// sent any more. The wait ends at once, also where a frozen broker keeps the connection from doing anything.
  nonisolated func publish(cancellable messages: [Publishing]) async throws -> [PublishResult] {
    try await OneShot.value(of: { try await self.publishUnlessCancelled(contentsOf: messages) })
  }
}
