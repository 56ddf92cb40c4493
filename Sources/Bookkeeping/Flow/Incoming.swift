package import JobModel

/// A submission, as it was read, and who sent it.
package struct Incoming: Sendable {
  package let content: IncomingSubmission
  /// The user of the broker who sent it; nil: its message names none.
  package let user: String?
  /// Its body was over the cap: nobody has read it.
  package let isUnread: Bool

  package init(_ content: IncomingSubmission, from user: String? = nil, isUnread: Bool = false) {
    self.content = content
    self.user = user
    self.isUnread = isUnread
  }
}

/// One of a batch that is not taken in, and is to be kept for people: its message is parked before it is acked.
package struct Refusal: Sendable {
  /// Its place in the batch.
  package let index: Int
  package let failure: JobFailure
}
