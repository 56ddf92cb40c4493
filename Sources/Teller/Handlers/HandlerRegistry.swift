import Foundation
import JobModel
import Logging
import Synchronization

/// A handler whose types are known to itself alone: payload bytes in, the attempt's result out. Never throws.
struct RegisteredHandler: Sendable {
  let kind: JobKind
  let run: @Sendable (RunningAttempt) async -> AttemptResult

  init<Handler: JobHandler>(_ handler: Handler) {
    kind = Handler.kind
    run = { attempt in
      switch PayloadReader.read(Handler.Payload.self, from: attempt.assignment.payload) {
      case .failure(let failure):
        // The next version of the handler may read it, and may be on its way to another worker.
        return .failed(failure, isPermanent: false)
      case .success(let payload):
        do {
          return ResultWriter.write(try await handler.run(context: JobContext(attempt, payload: payload)))
        } catch {
          return AttemptResult(thrown: error, cancelled: attempt.control.reason)
        }
      }
    }
  }
}

/// What a handler is run with.
struct RunningAttempt: Sendable {
  var assignment: Assignment
  /// When its time limit will have passed.
  var deadline: ContinuousClock.Instant?
  var control: RunControl
  /// The worker's; the job's own is made from it by whoever logs.
  var logger: Logger
}

extension AttemptResult {
  /// What an error that a handler threw makes of its attempt.
  init(thrown error: any Error) {
    switch error {
    case let error as PermanentFailure:
      self = .failed(JobFailure(code: error.code, message: error.message), isPermanent: true)
    case let error as JobFailure: self = .failed(error, isPermanent: false)
    default: self = .failed(JobFailure(code: "handler_error", message: String(describing: error)), isPermanent: false)
    }
  }
}

/// The handlers of one worker, by kind.
final class HandlerRegistry: Sendable {
  private struct State {
    var handlers: [JobKind: RegisteredHandler] = [:]
    var registeredTwice: Set<JobKind> = []
  }

  private let state = Mutex(State())

  /// The first handler of a kind stays; `duplicates` tells of the others.
  func add(_ handler: RegisteredHandler) {
    state.withLock { state in
      if state.handlers[handler.kind] == nil {
        state.handlers[handler.kind] = handler
      } else {
        state.registeredTwice.insert(handler.kind)
      }
    }
  }

  /// The kinds for which more than one handler was registered.
  var duplicates: [JobKind] { state.withLock { $0.registeredTwice.sorted() } }

  var kinds: [JobKind] { state.withLock { $0.handlers.keys.sorted() } }

  func handler(for kind: JobKind) -> RegisteredHandler? {
    state.withLock { $0.handlers[kind] }
  }
}
