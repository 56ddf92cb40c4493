import JobModel
import Logging
import Processes

/// A log on standard error, in which hidden characters are shown: names and errors of other programs stand in it.
struct VisibleLogHandler: LogHandler {
  private var base: StreamLogHandler

  /// A log on standard error.
  ///
  /// - Parameters:
  ///   - label: Of the logger.
  ///   - log: For a process that serves: no line waits for the reader. Nil, for a command: each line is written at once,
  ///     between the other lines of the command.
  init(_ label: String, through log: LogWriter? = nil) {
    base =
      log.map { StreamLogHandler(label: label, stream: LogStream($0)) } ?? StreamLogHandler.standardError(label: label)
  }

  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue.mapValues(\.visible) }
  }

  var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue?.visible }
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\(event.message.description.onOneLine)"
    event.metadata = event.metadata?.mapValues(\.visible)
    base.log(event: event)
  }
}

extension Logger.MetadataValue {
  fileprivate var visible: Logger.MetadataValue {
    switch self {
    case .array(let values): .array(values.map(\.visible))
    case .dictionary(let values): .dictionary(values.mapValues(\.visible))
    default: .string(description.onOneLine)
    }
  }
}
