/// What a submitter is told at its reply address.
package struct Reply: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case accepted
    /// A job of the same id, or of the same key, was accepted before; its outcome follows as if it had just been submitted.
    case duplicate
    case rejected(JobFailure)
    case outcome(Outcome)
  }

  /// The job's id as text; for a rejected submission what it said, if anything.
  package var job: String?
  package var correlationID: String?
  package var content: Content
  /// Of `accepted` and `duplicate`: what else was decided; nil: there is nothing to say.
  package var decided: DecidedPart?

  package init(job: String?, correlationID: String?, content: Content, decided: DecidedPart? = nil) {
    self.job = job
    self.correlationID = correlationID
    self.content = content
    self.decided = decided
  }
}

/// Where the answer to a question goes.
package struct AnswerAddress: Hashable, Sendable {
  package var replyTo: String
  package var correlationID: String?

  package init(replyTo: String, correlationID: String?) {
    self.replyTo = replyTo
    self.correlationID = correlationID
  }
}
