import Decisions
import JobTransport
import Synchronization

/// The configuration that a coordinator is to have. It may be set at any time; the session that serves takes it over.
final class WantedConfiguration: Sendable {
  /// A configuration, and the file that it was read from.
  struct Source: Sendable {
    var configuration: CoordinatorConfiguration
    var file: String
    /// How often a file was read since the start.
    var reading = 0
    /// Whether no session has taken it over since it was read.
    var isNews = false
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
      source = Source(
        configuration: change.configuration, file: file, reading: source.reading + 1, isNews: true)
      return change
    }
  }

  /// A session has taken over what was wanted, as far as possible. Nobody wants the rest until the file is read again.
  func settle(_ taken: Source, for reachable: CoordinatorConfiguration) {
    source.withLock { source in
      guard source.reading == taken.reading else { return }  // a file was read meanwhile, and is looked at next
      source.configuration = reachable
      source.isNews = false
    }
  }
}
