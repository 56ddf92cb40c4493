/// A message that this version does not understand.
package struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, for people.
  package var reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { reason }
}
