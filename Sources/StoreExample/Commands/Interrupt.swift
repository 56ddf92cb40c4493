import Dispatch
import Foundation

/// Ctrl-C and SIGTERM cancel a command, which ends as after an error: so the terminal is put back as it was.
enum Interrupt {
  /// Runs the body. The first of these signals cancels it.
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
