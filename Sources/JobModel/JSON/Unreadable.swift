/// A message that this version does not understand.
package struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, for people.
  package var reason: String

  package init(_ reason: String) {
    self.reason = reason
  }

  /// A message whose property `type` is missing, or is none of those that are known.
  package init(type: String?) {
    self.init(type.map { "type \(Excerpt.quoted($0)) is not known here" } ?? "type is missing")
  }

  package var description: String { reason }
}
