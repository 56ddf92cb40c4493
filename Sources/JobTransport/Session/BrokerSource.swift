package import AMQP
package import Logging
import Synchronization

/// Where a process's broker is, and its password: read again for each connection, so that a password that was changed in
/// its file needs no restart. What cannot be read in time, or cannot be used, leaves everything as it was, and the log
/// says so once.
///
/// The virtual host stays: another one is another system. The files of certificates are named here, and are read by each
/// connection anyway.
package final class BrokerSource: Sendable {
  private struct State {
    var url: BrokerURL
    /// The last problem that was logged; nil: there is none.
    var problem: String?
  }

  private let state: Mutex<State>
  private let keepsUser: Bool
  private let read: (@Sendable () async throws -> BrokerURL)?

  /// - Parameters:
  ///   - url: the URL at the start.
  ///   - keepsUser: whether another user needs a restart.
  ///   - read: reads the URL again, within a limit of its own, and blocks no shared thread; nil: it is in no file.
  package init(_ url: BrokerURL, keepsUser: Bool = false, read: (@Sendable () async throws -> BrokerURL)? = nil) {
    state = Mutex(State(url: url))
    (self.keepsUser, self.read) = (keepsUser, read)
  }

  /// The URL as it was read last.
  package var url: BrokerURL { state.withLock { $0.url } }

  /// Reads the URL again, and gives it; that of before at once when the task is cancelled.
  package func current(_ logger: Logger) async -> BrokerURL {
    guard let read else { return url }
    do {
      take(try await read(), logger)
    } catch is CancellationError {
      return url
    } catch {
      note("\(error)", logger)
    }
    return url
  }

  /// The same node, with the user, the password and the files of now.
  package func current(of node: BrokerURL, _ logger: Logger) async -> BrokerURL {
    await current(logger).at(node.addresses[0])
  }

  /// Takes a URL that was read somewhere else, for the connections from now on.
  package func take(_ new: BrokerURL, _ logger: Logger) {
    let old = url
    if new == old { return state.withLock { $0.problem = nil } }
    if let difference = fixed(old, new) { return note("it has another \(difference), which needs a restart", logger) }
    state.withLock { $0 = State(url: new) }
    logger.notice("the broker's URL has changed, and counts for each new connection: \(new)")
  }

  private func fixed(_ old: BrokerURL, _ new: BrokerURL) -> String? {
    if old.virtualHost != new.virtualHost { return "virtual host" }
    return keepsUser && old.user != new.user ? "user" : nil
  }

  private func note(_ problem: String, _ logger: Logger) {
    let isNews = state.withLock { state in
      defer { state.problem = problem }
      return state.problem != problem
    }
    if isNews { logger.error("the broker's URL stays as it was: \(problem)") }
  }
}
