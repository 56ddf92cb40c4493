/// A message that this version does not understand.
package struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it, for people.
  package var reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  package var description: String { reason }
}
