package import JobModel
package import Logging

/// What the log says about a service. A pure value.
package enum ServiceReport: Hashable, Sendable {
  /// A call threw; `count`: how many calls of the service have thrown so far.
  case threw(HostCall, String, count: Int)
  case hangs(HostCall, after: Duration)
  case returned(HostCall, after: Duration)
  case full(limit: Int)
  case lost(EventStatus)
  case caughtUp(dropped: Int)
  case notStarted(within: Duration)
  case cutShort(dropped: Int)
  case leftBehind

  /// So many errors are logged one by one; after that only the error whose number is a power of two. A service that throws
  /// in every call would else fill the log as fast as jobs run.
  package static let errorsInFull = 10
  /// The most characters of an error that are logged.
  package static let longestError = 1_000

  /// Whether the error of that number, from 1, is to be logged.
  package static func isWorthwhile(error count: Int) -> Bool { count <= errorsInFull || count & (count - 1) == 0 }

  package var level: Logger.Level {
    switch self {
    case .lost: .error
    case .returned, .caughtUp: .notice
    case .threw, .hangs, .full, .notStarted, .cutShort, .leftBehind: .warning
    }
  }

  package var text: String {
    switch self {
    case .threw(let call, let error, let count):
      "threw in \(call) (error \(count) of this service): \(error.prefix(ServiceReport.longestError))"
    case .hangs(let call, let time):
      "hangs: \(call) has not ended within \(time); until it ends, the service is told nothing"
    case .returned(let call, let time): "goes on: \(call) has ended after \(time)"
    case .full(let limit): "is too slow: \(limit) calls about jobs wait for it, and the oldest ones are dropped"
    case .lost(let event): "was not told of event \(event.id) (\(event.name), \(event.state)): it is too slow"
    case .caughtUp(let dropped): "has caught up; \(dropped) calls about jobs were dropped"
    case .notStarted(let limit): "has not started within \(limit); the host goes on without waiting"
    case .cutShort(let dropped): "was too slow to stop and was cut short; \(dropped) calls about jobs were dropped"
    case .leftBehind: "does not end, and is left behind"
    }
  }
}
