import Logging
import Synchronization
import TestSupport

/// What a worker logs, for a test that waits for it.
final class WorkerLog: Sendable {
  private let lines: AsyncStream<String>
  private let sink: AsyncStream<String>.Continuation
  private let all = Mutex<[String]>([])

  /// Where the worker stops: whoever logs a message with that text waits for the latch.
  private let stop: (text: String, latch: WorkerLatch)?

  init(stoppingAt stop: (text: String, latch: WorkerLatch)? = nil) {
    self.stop = stop
    (lines, sink) = AsyncStream.makeStream()
  }

  var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  /// Every message so far.
  var messages: [String] { all.withLock { $0 } }

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
      log.all.withLock { $0.append("\(event.message)") }
      log.sink.yield("\(event.message)")
      if let stop = log.stop, "\(event.message)".contains(stop.text) { stop.latch.block() }
    }
  }
}
