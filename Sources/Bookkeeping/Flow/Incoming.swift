package import JobModel

/// A submission, as it was read, and who sent it.
package struct Incoming: Sendable {
  package let content: IncomingSubmission
  /// The user of the broker who sent it; nil: its message names none.
  package let user: String?
  /// The body of the message was over the cap: nobody has read it.
  package let isUnread: Bool

  package init(_ content: IncomingSubmission, from user: String? = nil, isUnread: Bool = false) {
    self.content = content
    self.user = user
    self.isUnread = isUnread
  }
}

/// A message of a batch that is refused, and is kept for people: the message is parked before it is acked.
package struct Refusal: Sendable {
  /// The place of the message in the batch.
  package let index: Int
  package let failure: JobFailure
}
