package import JobModel

/// What time it is at the coordinator, as a worker knows it: never earlier than it is, and later by as long as the welcome was
/// under way. A pure value.
///
/// The clocks of the two machines need not agree: a welcome repeats what the worker's own clock said when it asked.
package struct CoordinatorTime: Hashable, Sendable {
  /// Both clocks are told in whole milliseconds, each of which may be almost over.
  static let rounding: Duration = .milliseconds(2)

  private let told: Timestamp
  /// When the worker asked, by its own clock.
  private let asked: Duration

  /// Nil: the welcome does not say it.
  package init?(_ welcome: Welcome) {
    guard let atMs = welcome.atMs, let sentMs = welcome.sentMs else { return nil }
    (told, asked) = (Timestamp(milliseconds: atMs), .milliseconds(sentMs))
  }

  /// The latest that it can be at the coordinator; `now`: by the worker's own clock.
  package func latest(at now: Duration) -> Timestamp { told + (now - asked) + CoordinatorTime.rounding }
}
