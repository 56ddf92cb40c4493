/// How many wrong tokens were sent in the last time, and by whom: so that nobody finds a token by trying. A pure value.
struct SignInTries: Sendable {
  let limit: Int
  let limitOfAll: Int
  let time: Duration
  private var tries: [(machine: String, at: ContinuousClock.Instant)] = []

  /// `limit`: how many wrong tokens one machine may send within the time. `limitOfAll`: how many all may send; so many are
  /// remembered.
  init(limit: Int, limitOfAll: Int, within time: Duration) {
    (self.limit, self.limitOfAll, self.time) = (limit, limitOfAll, time)
  }

  /// How long that machine must wait before it may try again; nil: it may try now.
  mutating func wait(of machine: String, now: ContinuousClock.Instant) -> Duration? {
    tries.removeAll { $0.at + time <= now }
    let own = tries.filter { $0.machine == machine }
    let first = own.count >= limit ? own[own.count - limit].at : tries.count >= limitOfAll ? tries.first?.at : nil
    return first.map { $0 + time - now }
  }

  /// Notes a wrong token, after ``wait(of:now:)`` has allowed the try.
  mutating func failed(_ machine: String, now: ContinuousClock.Instant) { tries.append((machine, now)) }
}
