import JobTransport
import Logging
import Synchronization
import TestSupport

/// The rounds of a session's body: counts them, and lets a test wait for the next one.
final class Rounds: Sendable {
  private let state = Mutex<(count: Int, connections: BrokerConnections?)>((0, nil))
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream() }

  var count: Int { state.withLock { $0.count } }

  func current() -> BrokerConnections? { state.withLock { $0.connections } }

  /// - Returns: how many rounds there were before.
  func begin() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count - 1
    }
  }

  /// A body that says that it runs and then waits until it is cancelled.
  func take(_ connections: BrokerConnections) async throws {
    _ = begin()
    state.withLock { $0.connections = connections }
    signal.yield()
    try await Task.sleep(for: .seconds(3600))
  }

  /// Waits for the next round.
  func next() async throws {
    _ = try await limited("the next round") { [signals] in await signals.first { true } }
  }
}

/// What a logger was told.
final class LogRecord: Sendable {
  private let lines = Mutex<[String]>([])

  var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }
  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  func count(of text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }

  private struct Handler: LogHandler {
    let record: LogRecord
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { record.lines.withLock { $0.append("\(event.level) \(event.message)") } }
  }
}
