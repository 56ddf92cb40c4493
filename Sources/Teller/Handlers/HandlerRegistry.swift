import Foundation
import JobModel
import Logging
import Synchronization

/// A handler without its types: payload bytes in, the attempt's result out. Never throws.
struct RegisteredHandler: Sendable {
  let kind: JobKind
  let run: @Sendable (RunningAttempt) async -> AttemptResult

  init<Handler: JobHandler>(_ handler: Handler) {
    kind = Handler.kind
    run = { attempt in
      switch PayloadReader.read(Handler.Payload.self, from: attempt.assignment.content.payload) {
      case .failure(let failure):
        // Another worker may have a later version of the handler, which can read it.
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

/// An attempt that a handler is to run.
struct RunningAttempt: Sendable {
  var assignment: Assignment
  /// When its time limit will have passed.
  var deadline: ContinuousClock.Instant?
  var control: RunControl
  /// The worker's logger.
  var logger: Logger
}

extension AttemptResult {
  /// The result of an attempt whose handler threw an error. After a cancellation any error has the cancellation as cause.
  init(thrown error: any Error, cancelled reason: RunControl.Reason?) {
    switch (reason, error) {
    case (.timeout(let limit), _): self = .failed(.timeout(limit), isPermanent: false)
    case (.jobEnded, _): self = .failed(.cancelled(by: "the coordinator"), isPermanent: false)
    case (_, let error as PermanentFailure):
      self = .failed(JobFailure(code: error.code, message: error.message), isPermanent: true)
    case (_, let error as JobFailure): self = .failed(error, isPermanent: false)
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

  /// Adds a handler. Of two handlers of a kind the first stays; ``duplicates`` names the kind.
  func add(_ handler: RegisteredHandler) {
    state.withLock { state in
      if state.handlers[handler.kind] == nil {
        state.handlers[handler.kind] = handler
      } else {
        state.registeredTwice.insert(handler.kind)
      }
    }
  }

  var duplicates: [JobKind] { state.withLock { $0.registeredTwice.sorted() } }

  var kinds: [JobKind] { state.withLock { $0.handlers.keys.sorted() } }

  func handler(for kind: JobKind) -> RegisteredHandler? {
    state.withLock { $0.handlers[kind] }
  }
}
