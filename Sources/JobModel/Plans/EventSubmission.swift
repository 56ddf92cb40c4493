/// An event as its sender describes it.
package struct EventSubmission: Hashable, Sendable {
  /// Chosen by whoever sends the event: what comes again with the same id, also in another message, is the same event.
  package var id: JobID
  package var name: EventName
  /// Nil: the plan that receives events of that name.
  package var plan: PlanName?
  package var content: JobContent
  package var submittedAt: Timestamp?
  package var reply: ReplyAddress?

  package init(
    id: JobID, name: EventName, plan: PlanName? = nil, content: JobContent = JobContent(),
    submittedAt: Timestamp? = nil, reply: ReplyAddress? = nil
  ) {
    self.id = id
    self.name = name
    self.plan = plan
    self.content = content
    self.submittedAt = submittedAt
    self.reply = reply
  }

  /// The content type that tells an event from a job.
  package static let contentType = "application/vnd.teller.event+json"
}

/// What somebody has decided about an announced event.
package struct EventChoice: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable {
    /// The event is acted on.
    case accept
    /// Nothing is to be done.
    case dismiss
  }

  package var event: JobID
  package var action: Action
  package var reply: ReplyAddress?

  package init(_ action: Action, _ event: JobID, reply: ReplyAddress? = nil) {
    (self.action, self.event, self.reply) = (action, event, reply)
  }
}
