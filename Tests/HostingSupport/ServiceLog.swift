package import Logging
import Synchronization

/// What a host logs about its services.
package final class ServiceLog: Sendable {
  private let told = ToldCalls()

  package init() {}

  package var logger: Logger { Logger(label: "test") { _ in Handler(told: self.told) } }

  /// Each line, with its level in front.
  package var lines: [String] { told.all }

  /// Waits for a line with that text.
  package func wait(for text: String) async throws {
    try await told.wait("\"\(text)\" in the log") { lines in lines.contains { $0.contains(text) } }
  }

  private struct Handler: LogHandler {
    let told: ToldCalls
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let given = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
      told.note("\(event.level): \(event.message)\(given)")
    }
  }
}
