import Decisions
import JobTransport
import Synchronization

/// The configuration that a coordinator is to have. It may be set at any time; the session that serves takes it over.
final class WantedConfiguration: Sendable {
  /// A configuration, and the file that it was read from.
  struct Source: Sendable {
    var configuration: CoordinatorConfiguration
    var file: String
  }

  private let source: Mutex<Source>
  /// Fired when a session that serves has something to take over.
  let changed = Signal()

  init(_ configuration: CoordinatorConfiguration) {
    source = Mutex(Source(configuration: configuration, file: ""))
  }

  var latest: Source { source.withLock { $0 } }

  /// Another configuration is wanted, as far as a coordinator can change to it without a restart.
  ///
  /// - Returns: What is different from the configuration that was wanted before.
  func want(_ configuration: CoordinatorConfiguration, from file: String) -> ConfigurationChange {
    source.withLock { source in
      let change = ConfigurationChange(from: source.configuration, to: configuration)
      source = Source(configuration: change.configuration, file: file)
      return change
    }
  }
}
