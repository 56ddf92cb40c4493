package import JobModel

/// What time it is at the coordinator, as a worker knows it: never earlier than it is, and later by as long as the welcome was
/// under way. A pure value.
///
/// The clocks of the two machines need not agree: a welcome repeats what the worker's own clock said when it asked.
package struct CoordinatorTime: Hashable, Sendable {
  /// Both times are rounded down to whole milliseconds, and each has lost less than one.
  static let rounding: Duration = .milliseconds(2)

  private let welcomed: Timestamp
  /// When the worker sent its presence, by its own clock.
  private let sent: Duration

  /// Nil: the welcome does not say it.
  package init?(_ welcome: Welcome) {
    guard let atMs = welcome.atMs, let sentMs = welcome.sentMs else { return nil }
    (welcomed, sent) = (Timestamp(milliseconds: atMs), .milliseconds(sentMs))
  }

  /// The latest that it can be at the coordinator; `now`: by the worker's own clock.
  package func latest(at now: Duration) -> Timestamp { welcomed + (now - sent) + CoordinatorTime.rounding }
}
