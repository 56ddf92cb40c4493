/// Where and how a submitter is answered.
package struct ReplyAddress: Hashable, Sendable {
  /// What a submitter waits for.
  package enum Wait: String, Hashable, Sendable {
    /// Only to hear that the job is accepted, known already, or rejected.
    case accepted
    /// Its outcome too.
    case outcome
  }

  /// The queue that is answered; only `teller.reply.…` and what the broker makes of `amq.rabbitmq.reply-to` are allowed.
  package var replyTo: String
  package var correlationID: String?
  package var wait: Wait

  package init(replyTo: String, correlationID: String?, wait: Wait) {
    self.replyTo = replyTo
    self.correlationID = correlationID
    self.wait = wait
  }

  /// Whether the coordinator may write to that queue. Anything else is refused: it writes with its own rights, and the
  /// name was chosen by whoever sent the message.
  package static func isAllowed(_ replyTo: String) -> Bool {
    replyTo.hasPrefix("teller.reply.") || DirectReplyTo.isWellFormed(replyTo)
  }
}

/// The W3C trace context of a submission, handed through to the worker untouched.
package struct TraceContext: Hashable, Sendable {
  package var traceparent: String?
  package var tracestate: String?
  package init(traceparent: String? = nil, tracestate: String? = nil) {
    self.traceparent = traceparent
    self.tracestate = tracestate
  }
}

/// One job as its submitter describes it.
package struct Submission: Hashable, Sendable {
  package var id: JobID
  package var kind: JobKind
  /// Nil: the coordinator's `kinds:`, else the department named as the kind.
  package var department: Department?
  package var priority: Priority
  package var payload: [UInt8]
  package var contentType: String?
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var maxAttempts: Int?
  /// In an ordered department: the place within the open plan; a lower rank goes first.
  package var rank: Int?
  package var reply: ReplyAddress?
  package var trace: TraceContext

  package init(
    id: JobID, kind: JobKind, department: Department? = nil, priority: Priority = .normal, payload: [UInt8] = [],
    contentType: String? = nil, submittedAt: Timestamp? = nil, maxAttempts: Int? = nil, rank: Int? = nil,
    reply: ReplyAddress? = nil, trace: TraceContext = TraceContext()
  ) {
    self.id = id
    self.kind = kind
    self.department = department
    self.priority = priority
    self.payload = payload
    self.contentType = contentType
    self.submittedAt = submittedAt
    self.maxAttempts = maxAttempts
    self.rank = rank
    self.reply = reply
    self.trace = trace
  }

  /// Attempts of a job whose submission names none.
  package static let defaultMaxAttempts = 3
  /// What `teller-attempts` may say.
  package static let attemptLimits = 1...100
  /// What `teller-rank` and a step's `rank` may say.
  package static let rankLimits = 1...1_000_000
}

/// What a message in `teller.submissions` turned out to be.
package enum IncomingSubmission: Hashable, Sendable {
  case job(Submission)
  case plan(PlanSubmission)
  case rejected(Rejection)
}

/// Why a submission is not accepted. It is answered if it says where, else parked in `teller.rejected`; never retried.
package struct Rejection: Error, Hashable, Sendable {
  package var failure: JobFailure
  /// Nil when the submission has none, or one that is not allowed.
  package var reply: ReplyAddress?
  /// The `message_id` as it came, cut to 64 characters.
  package var messageID: String?

  package init(_ failure: JobFailure, reply: ReplyAddress?, messageID: String?) {
    self.failure = failure
    self.reply = reply
    self.messageID = messageID
  }
}
