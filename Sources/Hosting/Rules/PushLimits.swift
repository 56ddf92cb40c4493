/// How much a receiver of pushes holds, and how long it waits. A pure value.
package struct PushLimits: Hashable, Sendable {
  /// The most pushes that are held. Beyond, whoever brings one is told, and no sequence is read.
  package var room = 1_000
  /// The most bytes of their payloads together; the last push may go beyond.
  package var bytes = 32 << 20
  /// The pause before the second try of a push. Each further pause is twice as long.
  package var firstPause: Duration = .seconds(1)
  /// The longest pause.
  package var longestPause: Duration = .seconds(30)
  /// How long the last round may take: as long as a service may take to stop, without the time for its last calls.
  package var lastRound: Duration = PushLimits.stopping.all
  /// The same where the host ends without a drain, and gives its services time for their last calls alone.
  package var shortLastRound: Duration = PushLimits.stopping.last / 2
  /// How many pushes are handed over beside each other in the last round. One that hangs is not to cost the others
  /// theirs.
  package var lastTries = 32
  /// How many pushes are remembered that were handed over and not told as received; beyond, the oldest are forgotten.
  package var remembered = 1_000
  /// How many of these the log names.
  package var named = 10
  /// How many of those that were not handed over one line of the log names.
  package var namedInLine = 25

  package init() {}

  private static var stopping: (all: Duration, last: Duration) {
    let limits = ServiceLimits()
    return limits.stopping(within: limits.stop.each, atOnce: false)
  }

  /// More doublings than any sensible limit needs, so that the arithmetic does not overflow.
  private static let mostDoublings = 20

  /// The pause after so many tries of a push.
  package func pause(after tries: Int) -> Duration {
    min(longestPause, firstPause * (1 << min(max(0, tries - 1), PushLimits.mostDoublings)))
  }
}
