package import JobModel

/// The departments whose queue the broker refuses, why, and when that is looked at again. A pure value, by the session's
/// clock. It lives longer than a connection: what the broker refuses on one it refuses on the next.
package struct RefusedDepartments: Sendable {
  private struct Entry {
    var reason: String
    var since: Duration
    var nextLook: Duration
    var wait: Duration
  }

  /// How long after a refusal the broker is asked again. Each wait is twice as long as the one before.
  package static let firstWait: Duration = .seconds(2)
  /// The longest of these waits.
  package static let longestWait: Duration = .seconds(60)

  private var entries: [Department: Entry] = [:]
  /// When a department was taken back last, and the wait before that: one that is refused again at once waits longer.
  private var takenBack: [Department: (wait: Duration, at: Duration)] = [:]

  package init() {}

  /// Why each is refused, in the broker's words.
  package var reasons: [Department: String] { entries.mapValues(\.reason) }

  /// Since when the department is refused; nil: it is not.
  package func since(_ department: Department) -> Duration? { entries[department]?.since }

  /// The broker has refused the department's queue. `isSoon`: why is not known yet, and is looked at without a wait.
  ///
  /// - Returns: Whether that is news: it was not refused before, or for another reason.
  package mutating func refuse(
    _ department: Department, because reason: String, isSoon: Bool = false, at now: Duration
  ) -> Bool {
    guard var entry = entries[department] else {
      let last = takenBack[department].flatMap { now - $0.at < RefusedDepartments.longestWait ? $0.wait : nil }
      let wait = last.map { min($0 * 2, RefusedDepartments.longestWait) } ?? RefusedDepartments.firstWait
      let nextLook = isSoon && last == nil ? now : now + wait
      entries[department] = Entry(reason: reason, since: now, nextLook: nextLook, wait: wait)
      return true
    }
    // What is known says more than what is not.
    if isSoon { return false }
    defer { entries[department] = entry }
    let isNews = entry.reason != reason
    entry.reason = reason
    entry.nextLook = now + entry.wait
    entry.wait = min(entry.wait * 2, RefusedDepartments.longestWait)
    return isNews
  }

  /// The departments that are to be looked at now.
  package func due(at now: Duration) -> [Department] {
    entries.filter { $0.value.nextLook <= now }.keys.sorted()
  }

  /// The broker takes the department's queue.
  ///
  /// - Returns: Whether it was refused before.
  package mutating func accept(_ department: Department, at now: Duration) -> Bool {
    guard let entry = entries.removeValue(forKey: department) else { return false }
    takenBack[department] = (entry.wait, now)
    return true
  }
}
