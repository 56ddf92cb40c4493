public import Logging
import Processes

/// A log on standard error that never blocks: when nobody reads it, lines are dropped, and the process continues.
///
/// A log handler that writes to standard error itself blocks when the pipe is full. Then a worker neither ends its jobs nor
/// stops on SIGTERM until somebody reads its log. Set this one up at the start of your program:
///
///     BufferedLog.bootstrap()
///
/// A thread of its own writes the lines, in order. Up to 10,000 lines wait for it, together at most 1 MiB. Further ones are
/// dropped; when the log is read again, one line says how many they were. At its end the process waits for up to a second
/// until all is written. A process that is killed or crashes may lose its last lines.
public enum BufferedLog {
  /// Makes this the log of every logger that is created with its label alone; once in a process, before the first of them,
  /// as with `LoggingSystem.bootstrap`.
  ///
  /// - Parameter metadataProvider: What is added to each line, such as the job that runs (`.tellerJob`).
  public static func bootstrap(metadataProvider: Logger.MetadataProvider? = nil) {
    LoggingSystem.bootstrap(
      { label, provider in BufferedLog.standardError(label: label, metadataProvider: provider) },
      metadataProvider: metadataProvider)
  }

  /// A handler for a logger of your own.
  ///
  /// - Parameters:
  ///   - label: Of the logger.
  ///   - metadataProvider: What is added to each line.
  /// - Returns: A handler that never waits for the reader of the log.
  public static func standardError(
    label: String, metadataProvider: Logger.MetadataProvider? = nil
  ) -> StreamLogHandler {
    StreamLogHandler(label: label, stream: LogStream(.standardError), metadataProvider: metadataProvider)
  }

  /// Writes a line as it is behind those that were logged before, such as the error that ends the program.
  ///
  /// - Parameter line: Without the end of the line.
  public static func write(_ line: String) { LogWriter.standardError.add(line + "\n") }
}
