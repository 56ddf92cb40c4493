package import JobModel

/// The requests that wait for the outcome of a key (`teller outcome --wait`), whether a job has the key yet or not.
/// Bounded in number and in time.
package struct KeyPolls: Sendable {
  /// One request to be told the outcome of a key.
  package struct Poll: Sendable {
    package let address: AnswerAddress
    package let key: JobKey
    /// On the session's clock.
    package let deadline: Duration

    package init(address: AnswerAddress, key: JobKey, deadline: Duration) {
      (self.address, self.key, self.deadline) = (address, key, deadline)
    }
  }

  /// The most requests that wait at once.
  package static let limit = 1_000

  private var polls: [Int: Poll] = [:]
  private var byKey: [JobKey: Set<Int>] = [:]
  private var lastNumber = 0

  package init() {}

  package var isFull: Bool { polls.count >= KeyPolls.limit }

  /// How many requests wait for that key.
  package func count(of key: JobKey) -> Int { byKey[key]?.count ?? 0 }

  /// Adds a request. Whether there is an outcome by now is looked up afterwards, so that an end in between is not missed.
  ///
  /// - Returns: its number, for ``take(_:)``.
  package mutating func add(_ poll: Poll) -> Int {
    lastNumber += 1
    polls[lastNumber] = poll
    byKey[poll.key, default: []].insert(lastNumber)
    return lastNumber
  }

  /// The request waits no longer. Nil: it was taken before, by the end of a job or the deadline.
  package mutating func take(_ number: Int) -> Poll? {
    guard let poll = polls.removeValue(forKey: number) else { return nil }
    byKey[poll.key]?.remove(number)
    if byKey[poll.key]?.isEmpty == true { byKey[poll.key] = nil }
    return poll
  }

  /// A job with that key has ended.
  ///
  /// - Returns: The requests that are to be answered.
  package mutating func ended(_ key: JobKey) -> [Poll] {
    guard let waiting = byKey.removeValue(forKey: key) else { return [] }
    return waiting.sorted().compactMap { polls.removeValue(forKey: $0) }
  }

  /// The requests that have waited long enough: they are answered with what is known by now.
  package mutating func expire(at now: Duration) -> [Poll] {
    polls.filter { $0.value.deadline <= now }.keys.sorted().compactMap { take($0) }
  }

  /// Forgets all requests: nobody is answered. Their numbers are not given again.
  package mutating func forgetAll() { (polls, byKey) = ([:], [:]) }
}
