/// Who gave a command.
package struct CommandAuthor: Hashable, Sendable {
  /// The name that the command carries.
  package var by: OperatorName?
  /// The user of the broker who sent it, as the broker says; nil: the message named none.
  package var user: String?

  package init(by: OperatorName? = nil, user: String? = nil) { (self.by, self.user) = (by, user) }

  /// For the reason of what the command did: the name with the user who vouches for nothing but himself, or `an operator`.
  package var words: String { by.map { "\($0)" + (user.map { " (user \($0))" } ?? "") } ?? "an operator" }
}
