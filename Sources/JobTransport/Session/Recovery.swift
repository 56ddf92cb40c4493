import AMQP

/// Decides whether and when a session tries again, and whether it logs that. A pure value.
struct Recovery {
  enum Step: Hashable {
    /// Try again after that time; `announces`: the loss is news, to be logged.
    case tryAgain(after: Duration, announces: Bool)
    case giveUp
  }

  private var backOff: BackOff
  private let giveUpAfter: Duration?
  private let refusedLimit: Duration?
  private var hasOpened = false
  private var hasBeenStable = false
  private var openedAt: ContinuousClock.Instant?
  private var outageBegan: ContinuousClock.Instant?
  private var lastAnnounced: AMQPError?
  /// The refusal that ended the last connection.
  private var lastRefusal: AMQPError?
  /// The last connection was refused the same as the one before it: that the broker is back is no news then.
  private(set) var isRepeating = false
  /// Whether the last opening was news, so that its loss is, too: else the log would end with good news.
  private var toldOpening = true

  /// A connection that lasts this long was a good one. The next outage begins with the shortest wait, and from now on no
  /// refusal of the broker ends the session. Longer than the longest wait: a broker that accepts and refuses in turns is
  /// not asked faster and faster.
  static let stableAfter = Duration.seconds(10)

  init(backOff: BackOff, giveUpAfter: Duration?, refusedLimit: Duration? = nil) {
    self.backOff = backOff
    self.giveUpAfter = giveUpAfter
    self.refusedLimit = refusedLimit
  }

  /// Notes that all connections are open.
  ///
  /// - Returns: how long the outage was, if there was one.
  mutating func opened(at now: ContinuousClock.Instant) -> Duration? {
    hasOpened = true
    openedAt = now
    (lastAnnounced, toldOpening) = (nil, !isRepeating)
    defer { outageBegan = nil }
    return outageBegan.map { now - $0 }
  }

  /// Notes that the broker has granted every declaration and every consumer once: a later refusal, even of a login, is no
  /// mistake in the set-up.
  mutating func becameReady() { (hasOpened, hasBeenStable) = (true, true) }

  /// Notes that the connections are lost, or could not be opened. `hasNext`: another address can be tried at once.
  mutating func lost(
    _ loss: BrokerLoss, at now: ContinuousClock.Instant, hasNext: Bool = false,
    using generator: inout some RandomNumberGenerator
  ) -> Step {
    if let openedAt, now - openedAt >= Recovery.stableAfter {
      hasBeenStable = true
      lastRefusal = nil
      backOff.reset()
    }
    openedAt = nil
    note(loss)
    // Another node may be right where this one is wrong, for example in its certificate.
    guard hasNext || mayHelp(loss) else { return .giveUp }
    let began = outageBegan ?? now
    outageBegan = began
    let wait = hasNext ? .zero : backOff.next(using: &generator) * (isRepeating ? Recovery.patience(after: loss) : 1)
    if let limit = limit(after: loss), !hasNext, now + wait - began >= limit { return .giveUp }
    defer { lastAnnounced = loss.error }
    return .tryAgain(after: wait, announces: isNews(loss))
  }

  /// How long an outage may last.
  private func limit(after loss: BrokerLoss) -> Duration? {
    guard !hasOpened, case .notOpened(.cannotConnect) = loss, let refusedLimit else { return giveUpAfter }
    return giveUpAfter.map { min($0, refusedLimit) } ?? refusedLimit
  }

  /// How many times longer than after other losses the wait is. What the broker refuses, again and again, by a limit or a
  /// permission is for a person to change: that is not asked for every second, and each round says why.
  private static func patience(after loss: BrokerLoss) -> Int {
    switch loss {
    case .connection(.channelClosed(AMQPError.preconditionFailedCode, _)) where !loss.error.isTransient: 5
    case .connection(.channelClosed(AMQPError.accessRefusedCode, _)) where !loss.error.saysQueueIsInUse: 5
    default: 1
    }
  }

  /// Notes a refusal. A process that waits for a queue of another one is refused the same again and again.
  private mutating func note(_ loss: BrokerLoss) {
    guard case .connection(.channelClosed) = loss else {
      (lastRefusal, isRepeating) = (nil, false)
      return
    }
    isRepeating = loss.error == lastRefusal
    lastRefusal = loss.error
  }

  /// Whether another attempt may help. A refusal at the start (a password, a queue with other arguments, a certificate) is
  /// a mistake that a person must correct. A session that has worked before is more likely refused by a broker that is
  /// being repaired.
  private func mayHelp(_ loss: BrokerLoss) -> Bool {
    switch loss.error {
    case .invalid: return false
    case let error where error.isTransient: return true
    default: break
    }
    switch loss {
    case .notOpened: return hasOpened
    case .connection, .consumerCancelled: return hasBeenStable
    }
  }

  /// Whether to log a loss: once per outage, and again when a person must act.
  private func isNews(_ loss: BrokerLoss) -> Bool {
    if Recovery.patience(after: loss) > 1 { return true }
    guard let lastAnnounced else { return !isRepeating || toldOpening }
    return !loss.error.isTransient && loss.error != lastAnnounced
  }
}
