import AMQP
import JobTransport
import Synchronization

/// The last reason why a submission or a question has not come through: the error when its limit has passed.
final class Obstacle: Sendable {
  private let present: Mutex<TellerError>
  let waited: Duration

  init(waited: Duration) {
    self.waited = waited
    present = Mutex(.brokerUnavailable(reason: "no connection, or no answer, for \(waited)"))
  }

  @Sendable func error() -> TellerError { present.withLock { $0 } }

  func met(_ result: PublishResult?) {
    switch result {
    case .nacked: present.withLock { $0 = .submissionsFull(waited: waited) }
    case .returned: present.withLock { $0 = .noCoordinatorEver }
    case .confirmed, nil: break
    }
  }

  func met(_ error: AMQPError) {
    present.withLock { present in
      let error = TellerError(error)
      // A missing exchange breaks the connection. Other calls on the same connection see only that it broke.
      if case .brokerUnavailable = error, present == .noCoordinatorEver { return }
      present = error
    }
  }

  func met(_ error: TellerError) {
    present.withLock { $0 = error }
  }
}

extension BackOff {
  /// The pauses before a message is sent again.
  static var resending: BackOff { BackOff(first: firstPause, longest: longestPause) }

  private static let firstPause: Duration = .milliseconds(50)
  private static let longestPause: Duration = .seconds(2)

  mutating func next() -> Duration {
    var generator = SystemRandomNumberGenerator()
    return next(using: &generator)
  }
}

extension TellerError {
  /// The client's error for an error of the connection.
  init(_ error: AMQPError) {
    switch error {
    // One of the exchanges that every coordinator declares is missing.
    case .channelClosed(code: 404, _) where !error.isTransient: self = .noCoordinatorEver
    case .accessRefused(let reason), .channelClosed(code: 403, let reason):
      // The broker's own words end with a full stop, and advice is written behind them.
      self = .brokerRefused(reason: reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    case .tlsFailed: self = .encryptionFailed(reason: error.description)
    case .invalid(let reason): self = .invalid(reason: reason)
    default: self = .brokerUnavailable(reason: error.description)
    }
  }

  /// The same of an error after which the session does not try again, since waiting cannot help.
  init(final error: AMQPError) {
    self = TellerError(error)
    if case .brokerUnavailable(let reason) = self { self = .brokerRefused(reason: reason) }
  }
}
