import Logging
import Synchronization

/// The log of a command, on standard error. Until the command is connected it has errors alone: what keeps it from the
/// broker is its own last line. Later a lost or blocked broker is told of, or the command would wait in silence.
struct CommandLogHandler: LogHandler {
  /// Whether the command has been connected.
  final class Stage: Sendable {
    private let flag = Atomic(false)

    var isConnected: Bool { flag.load(ordering: .relaxed) }

    func connected() { flag.store(true, ordering: .relaxed) }
  }

  private var base: VisibleLogHandler
  private let stage: Stage

  init(_ label: String, _ stage: Stage) {
    (base, self.stage) = (VisibleLogHandler(label), stage)
    base.logLevel = .warning
  }

  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }

  var logLevel: Logger.Level {
    get { stage.isConnected ? base.logLevel : max(.error, base.logLevel) }
    set { base.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) { base.log(event: event) }
}
