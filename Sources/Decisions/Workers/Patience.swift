package import JobModel

/// How long a line of suspects waits for company: for jobs that were running at one death. Where workers go on dying
/// there are such jobs all the time, so each suspect waits for a limited time. After that a death may be charged to
/// nobody, because more than one job can have been the cause.
package struct Patience: Hashable, Sendable {
  package let limit: Duration
  private var since: [Department: Duration] = [:]

  package init(limit: Duration) { self.limit = limit }

  /// Whether the next one of the line waits no longer.
  ///
  /// - Parameters:
  ///   - department: The line's.
  ///   - obstacle: What keeps it from that.
  ///   - now: On a clock that is never set.
  /// - Returns: True also when it has waited for company for as long as it is to; what other suspects cost it in between
  ///   counts, too. The next one of the line waits anew.
  package mutating func ends(for department: Department, _ obstacle: Suspects.Obstacle?, at now: Duration) -> Bool {
    guard obstacle != .suspect else { return false }
    let began = since.removeValue(forKey: department) ?? now
    guard obstacle == .company, now - began < limit else { return true }
    since[department] = began
    return false
  }

  /// The line waits for something else.
  package mutating func pause(for department: Department) { since[department] = nil }

  /// Forgets the lines that are empty.
  package mutating func retain(where isLine: (Department) -> Bool) { since = since.filter { isLine($0.key) } }
}
