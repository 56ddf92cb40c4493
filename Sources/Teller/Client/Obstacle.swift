package import AMQP
import JobTransport
import Synchronization

/// The last reason why a submission or a question has not come through: the error when its limit has passed.
final class Obstacle: Sendable {
  private let last = Mutex<TellerError?>(nil)
  private let present: @Sendable (_ waited: Duration?) -> TellerError?
  let waited: Duration

  /// `present`: what keeps everybody from coming through at this moment, told to a call that has waited so long; nil: not at
  /// all. It counts more than what happened before.
  init(waited: Duration, present: @escaping @Sendable (_ waited: Duration?) -> TellerError?) {
    self.waited = waited
    self.present = present
  }

  @Sendable func error() -> TellerError {
    let waiting = TellerError.brokerUnavailable(reason: "no connection, or no answer, for \(waited.inWords)")
    return present(waited) ?? last.withLock { $0 } ?? waiting
  }

  /// What keeps everybody from coming through at this moment; nil: nothing. For a call that does not wait.
  @Sendable func atOnce() -> TellerError? { present(nil) }

  /// Notes the broker's answer to a message.
  ///
  /// - Throws: the refusal of a message that waiting does not help.
  func met(_ result: PublishResult?) throws(TellerError) {
    switch result {
    case .refused(_, let text): throw .messageRefused(reason: text)
    case .nacked: met(.submissionsFull(waited: waited))
    case .returned: met(.noCoordinatorEver)
    case .confirmed, nil: break
    }
  }

  /// Notes an error of a connection.
  ///
  /// - Throws: the same as a `TellerError` when waiting does not help.
  func met(_ error: AMQPError) throws(TellerError) {
    // That was for another call's message. This one is sent again, on another connection.
    if EarlyCodec.isRefusal(error) { return }
    if let refusal = TellerError(refusal: error) { throw refusal }
    last.withLock { last in
      let error = TellerError(error)
      // A missing exchange breaks the connection. Other calls on the same connection see only that it broke.
      if case .brokerUnavailable = error, last == .noCoordinatorEver { return }
      last = error
    }
  }

  func met(_ error: TellerError) {
    last.withLock { $0 = error }
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
    default: self = TellerError(refusal: error) ?? .brokerUnavailable(reason: error.cause)
    }
  }

  /// The same of an error that ends the call which met it, since waiting cannot help; nil: the call may be tried again.
  package init?(refusal error: AMQPError) {
    switch error {
    case .accessRefused: self = .brokerRefused(reason: error.cause)
    case .channelClosed(code: AMQPError.accessRefusedCode, let text):
      self = .brokerRefused(reason: AMQPError.accessRefused(reason: text).cause)
    case .tlsFailed: self = .encryptionFailed(reason: error.description)
    case .invalid(let reason): self = .invalid(reason: reason)
    default: return nil
    }
  }

  /// The same of an error after which the session does not try again.
  init(final error: AMQPError) {
    self = TellerError(error)
    switch (error, self) {
    // Nobody listens, and the session was not to wait for anybody.
    case (.cannotConnect, _): break
    case (_, .brokerUnavailable(let reason)): self = .brokerRefused(reason: reason)
    default: break
    }
  }
}
