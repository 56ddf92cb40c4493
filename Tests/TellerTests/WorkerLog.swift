import Logging
import Synchronization
import TestSupport

/// What a worker logs, for a test that waits for it.
final class WorkerLog: Sendable {
  private let lines: AsyncStream<String>
  private let sink: AsyncStream<String>.Continuation
  private let all = Mutex<[Line]>([])

  struct Line: Sendable {
    var level: Logger.Level
    var message: String
    var metadata: [String: String]
  }

  /// Where the worker stops: whoever logs a message with that text waits for the latch.
  private let stop: (text: String, latch: WorkerLatch)?

  init(stoppingAt stop: (text: String, latch: WorkerLatch)? = nil) {
    self.stop = stop
    (lines, sink) = AsyncStream.makeStream()
  }

  var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  /// Every line so far.
  var entries: [Line] { all.withLock { $0 } }
  /// Every message so far.
  var messages: [String] { entries.map(\.message) }

  /// How often the worker has said that it consumes.
  var timesReady: Int { messages.count { $0.hasPrefix("ready: ") } }

  /// Waits for a message that was not waited for before.
  func next(containing text: String) async throws {
    try await limited("the log says \"\(text)\"") { [lines] in
      for await line in lines where line.contains(text) { return }
      throw CancellationError()
    }
  }

  private struct Handler: LogHandler {
    let log: WorkerLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let given = metadata.merging(event.metadata ?? [:]) { $1 }
      let line = Line(level: event.level, message: "\(event.message)", metadata: given.mapValues { "\($0)" })
      log.all.withLock { $0.append(line) }
      log.sink.yield("\(event.message)")
      if let stop = log.stop, "\(event.message)".contains(stop.text) { stop.latch.block() }
    }
  }
}
