/// How many wrong tokens were sent in the last time, and by whom: so that nobody finds a token by trying. A pure value.
///
/// There is no limit for all machines together: else anybody could keep everybody out.
struct SignInTries: Sendable {
  let limit: Int
  let remembered: Int
  let time: Duration
  private var tries: [(machine: String, at: ContinuousClock.Instant)] = []

  /// `limit`: how many wrong tokens one machine may send within the time. `remembered`: how many tries are remembered, the
  /// last ones.
  init(limit: Int, remembered: Int, within time: Duration) {
    (self.limit, self.remembered, self.time) = (limit, remembered, time)
  }

  /// How long that machine must wait before it may try again; nil: it may try now.
  mutating func wait(of machine: String, now: ContinuousClock.Instant) -> Duration? {
    tries.removeAll { $0.at + time <= now }
    let own = tries.filter { $0.machine == machine }
    return own.count >= limit ? own[own.count - limit].at + time - now : nil
  }

  /// Notes a wrong token, after ``wait(of:now:)`` has allowed the try.
  mutating func failed(_ machine: String, now: ContinuousClock.Instant) {
    tries.append((machine, now))
    if tries.count > remembered { tries.removeFirst() }
  }
}
