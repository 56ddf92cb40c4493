import JobTransport

/// The time between one set of shared submissions and the next.
///
/// Where submissions come faster than sets are confirmed, many small sets keep every process on the jobs' way busy with being
/// woken: at a thousand jobs a second each job then takes half as long again as with a pause. With less than a millisecond for
/// each submission the sets stay small at that rate, and nothing is gained.
///
/// A pause helps only where submissions come by themselves. Where each of some tasks submits again as soon as it is answered,
/// all of them come in the first half of a pause, and nobody in the second. Such a pause was in vain: the next set has none, and
/// after each further one in vain twice as many sets have none.
struct SetPause {
  typealias Instant = ContinuousClock.Instant

  /// The longest time from one set to the next, where the broker is faster.
  static let longest = Duration.milliseconds(4)
  /// The share of a set's submission in that time.
  static let perSubmission = Duration.milliseconds(1)
  /// The most sets without a pause, after pauses in vain.
  static let mostSkipped = 32

  /// Of the pause that lasts; nil: none does.
  private var middle: Instant?
  private var isInVain = false
  /// How many sets will have no pause.
  private var skips = 0
  /// How many sets had none after the last pause in vain; zero: the last pause was not in vain.
  private var lastSkips = 0

  /// A set of so many has been answered.
  ///
  /// One submission alone is followed at once: it comes from a caller that waits for each. So is a set that fills a message:
  /// another would not make it larger.
  ///
  /// - Returns: how long the next set waits.
  mutating func begin(after count: Int, sentAt: Instant, at now: Instant) -> Duration {
    guard (2..<SubmissionPacks.countLimit).contains(count) else { return .zero }
    let rest = now.duration(to: sentAt + min(SetPause.longest, SetPause.perSubmission * count))
    guard rest > .zero else { return .zero }
    guard skips == 0 else {
      skips -= 1
      return .zero
    }
    (middle, isInVain) = (now + rest / 2, true)
    return rest
  }

  /// A submission has come.
  mutating func came(at now: @autoclosure () -> Instant) {
    if let middle, isInVain, now() >= middle { isInVain = false }
  }

  /// The next set leaves.
  mutating func end() {
    guard middle != nil else { return }
    middle = nil
    lastSkips = isInVain ? min(max(1, lastSkips * 2), SetPause.mostSkipped) : 0
    skips = lastSkips
  }
}
