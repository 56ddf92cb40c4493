import Dispatch
import Foundation

/// Ctrl-C and SIGTERM end what runs like any other error would, so that the terminal is put back as it was.
enum Interrupt {
  /// Runs the body; it is cancelled by the first of these signals.
  static func cancels<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task(operation: body)
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { task.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
