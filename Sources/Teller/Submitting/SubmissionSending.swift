import AMQP
import JobModel
import JobTransport
import Synchronization

extension ClientCore {
  /// The most messages that are handed to the connection at once.
  static let submissionBatch = 1_024

  /// Submits, and sends the same again as often as necessary, until the broker has confirmed every message.
  ///
  /// - Throws: a `TellerError` when nothing was confirmed for the limit.
  func submit(_ packs: [SubmissionPacks.Pack]) async throws {
    openSubmissions.begin()
    defer { openSubmissions.end() }
    let count = packs.reduce(0) { $0 + $1.count }
    var (rest, submitted) = (packs[...], 0)
    while !rest.isEmpty {
      let batch = rest.prefix(ClientCore.submissionBatch)
      do {
        try await submit(batch: batch.map(\.message))
      } catch let error as TellerError where count > 1 {
        throw TellerError.incomplete(submitted: submitted, of: count, reason: error)
      }
      submitted += batch.reduce(0) { $0 + $1.count }
      rest = rest.dropFirst(batch.count)
    }
  }

  private func submit(batch: [Publishing]) async throws {
    var rest = batch
    while !rest.isEmpty {
      let obstacle = Obstacle(waited: timeouts.submit)
      let messages = rest
      rest = try await within(timeouts.submit, orThrow: obstacle.error) {
        try await self.send(messages, obstacle)
      }
    }
  }

  /// Sends until at least one message is confirmed.
  ///
  /// - Returns: those that are not.
  private func send(_ messages: [Publishing], _ obstacle: Obstacle) async throws -> [Publishing] {
    var backOff = BackOff.resending
    var lastLink = 0
    while true {
      let link = lastLink == 0 ? try await links.current : try await links.next(after: lastLink)
      do {
        let results = try await link.publish(messages)
        let refused = zip(messages, results).filter { $1 != .confirmed }
        obstacle.met(refused.last?.1)
        if refused.count < messages.count { return refused.map(\.0) }
      } catch let error as AMQPError {
        if case .invalid(let reason) = error { throw TellerError.invalid(reason: reason) }
        // What was sent may have arrived; the coordinator knows the same id again.
        lastLink = link.number
        obstacle.met(error)
      }
      try await pause(for: backOff.next())
    }
  }
}

/// What last stood in the way of a submission, for when its limit has passed.
final class Obstacle: Sendable {
  private let present: Mutex<TellerError>
  let waited: Duration

  init(waited: Duration) {
    self.waited = waited
    present = Mutex(.brokerUnavailable(reason: "no connection, or no answer, for \(waited)"))
  }

  /// The obstacle as an error.
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
      // The connection that breaks because something is missing breaks under others too, who see only that.
      if case .brokerUnavailable = error, present == .noCoordinatorEver { return }
      present = error
    }
  }

  func met(_ error: TellerError) {
    present.withLock { $0 = error }
  }
}

extension BackOff {
  /// Before what was refused, or may be lost, is sent again.
  static var resending: BackOff { BackOff(first: firstPause, longest: longestPause) }

  private static let firstPause: Duration = .milliseconds(50)
  private static let longestPause: Duration = .seconds(2)

  mutating func next() -> Duration {
    var generator = SystemRandomNumberGenerator()
    return next(using: &generator)
  }
}

extension TellerError {
  /// What an error of the connection means for whoever uses the client.
  init(_ error: AMQPError) {
    switch error {
    // An exchange that every coordinator declares is missing.
    case .channelClosed(code: 404, _) where !error.isTransient: self = .noCoordinatorEver
    case .accessRefused(let reason), .channelClosed(code: 403, let reason):
      // The broker's own words end with a full stop, and what is to be done follows.
      self = .brokerRefused(reason: reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    case .tlsFailed: self = .encryptionFailed(reason: error.description)
    case .invalid(let reason): self = .invalid(reason: reason)
    default: self = .brokerUnavailable(reason: error.description)
    }
  }

  /// The same of an error after which the session does not try again: waiting cannot help.
  init(final error: AMQPError) {
    self = TellerError(error)
    if case .brokerUnavailable(let reason) = self { self = .brokerRefused(reason: reason) }
  }
}
