/// A wait of a test that came to its limit: what was waited for, how long, and what was there instead.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
  /// What was waited for, as the test names it.
  package let name: String
  /// How long it was waited for.
  package let limit: Duration
  /// What was there when the wait was given up: a process's last lines, a condition's last state.
  package let lastState: String

  package init(name: String, limit: Duration, lastState: String) {
    self.name = name
    self.limit = limit
    self.lastState = lastState
  }

  package var description: String { "waited \(limit) in vain for: \(name)\nlast state: \(lastState)" }
}
