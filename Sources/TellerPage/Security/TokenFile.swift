import Logging
import Synchronization
import Teller

/// The tokens of a file, read again when somebody signs in, and on demand: so a new token needs no restart. A file that
/// cannot be used leaves everything as it was, and the log says so once.
final class TokenFile: Sendable {
  private struct State {
    var tokens: Tokens
    /// The last problem that was logged; nil: there is none.
    var problem: ConfigurationError?
  }

  private let file: String
  private let logger: Logger
  private let state: Mutex<State>

  /// - Throws: `ConfigurationError`, when the file cannot be used.
  init(_ file: String, logger: Logger) throws(ConfigurationError) {
    (self.file, self.logger) = (file, logger)
    state = Mutex(State(tokens: try Tokens(file: file)))
    if let warning = Tokens.warning(of: file) { logger.warning("\(warning)") }
  }

  /// Reads the file again.
  ///
  /// - Returns: The tokens, and whether they are others than before.
  func read() -> (tokens: Tokens, isNew: Bool) {
    do throws(ConfigurationError) {
      return take(try Tokens(file: file))
    } catch {
      return keep(error)
    }
  }

  private func take(_ tokens: Tokens) -> (tokens: Tokens, isNew: Bool) {
    let isNew = state.withLock { state in
      defer { state = State(tokens: tokens) }
      return state.tokens != tokens
    }
    if isNew { logger.notice("the tokens of \(file) have changed") }
    return (tokens, isNew)
  }

  private func keep(_ error: ConfigurationError) -> (tokens: Tokens, isNew: Bool) {
    let (tokens, isNews) = state.withLock { state in
      defer { state.problem = error }
      return (state.tokens, state.problem != error)
    }
    if isNews { logger.error("the tokens stay as they were: \(error)") }
    return (tokens, false)
  }
}
