import AMQP

/// Decides whether and when a session tries again, and what it tells of that. A pure value.
struct Recovery {
  enum Step: Hashable {
    /// Try again after that time; `announces`: this is news, to be logged.
    case tryAgain(after: Duration, announces: Bool)
    case giveUp
  }

  private var backOff: BackOff
  private let giveUpAfter: Duration?
  private var hasOpened = false
  private var hasBeenStable = false
  private var openedAt: ContinuousClock.Instant?
  private var outageBegan: ContinuousClock.Instant?
  private var lastAnnounced: AMQPError?
  /// The refusal that ended the last connection.
  private var lastRefusal: AMQPError?
  /// The last connection ended like the one before it, soon after it was opened: neither that nor what follows is news.
  private(set) var isRepeating = false

  /// A connection that lasts this long was a good one: the next outage begins with the shortest wait, and from now on
  /// nothing that the broker refuses ends the session. Longer than the longest wait, so that a broker that accepts and
  /// refuses in turns is not asked faster and faster.
  static let stableAfter = Duration.seconds(10)

  init(backOff: BackOff, giveUpAfter: Duration?) {
    self.backOff = backOff
    self.giveUpAfter = giveUpAfter
  }

  /// All connections are open.
  ///
  /// - Returns: how long the outage was, if there was one.
  mutating func opened(at now: ContinuousClock.Instant) -> Duration? {
    hasOpened = true
    openedAt = now
    lastAnnounced = nil
    defer { outageBegan = nil }
    return outageBegan.map { now - $0 }
  }

  /// Everything that is declared and consumed was granted once: what the broker refuses from now on, a login as well, is
  /// no mistake in the set-up.
  mutating func becameReady() { (hasOpened, hasBeenStable) = (true, true) }

  /// They are lost, or did not come about. `hasNext`: there is another address to be tried at once.
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
    // What one node of a broker refuses, its certificate for example, another one may not.
    guard hasNext || mayHelp(loss) else { return .giveUp }
    let began = outageBegan ?? now
    outageBegan = began
    let wait = hasNext ? .zero : backOff.next(using: &generator)
    if let giveUpAfter, now + wait - began >= giveUpAfter { return .giveUp }
    defer { lastAnnounced = loss.error }
    return .tryAgain(after: wait, announces: isNews(loss))
  }

  /// Whoever waits for something that another one has is refused the same again and again.
  private mutating func note(_ loss: BrokerLoss) {
    guard case .connection(.channelClosed) = loss else {
      (lastRefusal, isRepeating) = (nil, false)
      return
    }
    isRepeating = loss.error == lastRefusal
    lastRefusal = loss.error
  }

  /// Whether trying again may help. What the broker refuses at the start (a password, a queue of other arguments), or
  /// what is wrong with its certificate then, is a mistake that somebody must correct; what is refused to a session that
  /// has worked before is more likely a broker that is being repaired.
  private func mayHelp(_ loss: BrokerLoss) -> Bool {
    switch loss.error {
    case .invalid: return false
    case let error where isTransient(error): return true
    default: break
    }
    switch loss {
    case .notOpened: return hasOpened
    case .connection, .consumerCancelled: return hasBeenStable
    }
  }

  /// Once per outage, and again when somebody must act.
  private func isNews(_ loss: BrokerLoss) -> Bool {
    guard let lastAnnounced else { return !isRepeating }
    return !isTransient(loss.error) && loss.error != lastAnnounced
  }

  private func isTransient(_ error: AMQPError) -> Bool { error.isTransient || EarlierQueues.isLesson(error) }
}
