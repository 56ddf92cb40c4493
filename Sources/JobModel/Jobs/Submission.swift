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

  /// Both names are another program's: see ``ExactText``.
  package static func == (left: ReplyAddress, right: ReplyAddress) -> Bool {
    left.replyTo.isExactly(right.replyTo) && left.wait == right.wait
      && left.correlationID.map { ExactText($0) } == right.correlationID.map { ExactText($0) }
  }

  /// Hashes what is compared.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(replyTo))
    hasher.combine(correlationID.map { ExactText($0) })
  }

  /// Whether the coordinator may write to that queue. Anything else is refused: it writes with its own rights, and the
  /// name was chosen by whoever sent the message.
  package static func isAllowed(_ replyTo: String) -> Bool {
    replyTo.hasPrefix("teller.reply.") || DirectReplyTo.isWellFormed(replyTo)
  }
}

/// The W3C trace context of a submission, handed through to the worker untouched.
public struct TraceContext: Hashable, Sendable {
  /// The trace and the span; nil: none.
  public var traceparent: String?
  /// What tracing systems have added.
  public var tracestate: String?
  package init(traceparent: String? = nil, tracestate: String? = nil) {
    self.traceparent = traceparent
    self.tracestate = tracestate
  }

  /// Whether both are the same bytes.
  package func isExactly(_ other: TraceContext) -> Bool {
    traceparent.map { ExactText($0) } == other.traceparent.map { ExactText($0) }
      && tracestate.map { ExactText($0) } == other.tracestate.map { ExactText($0) }
  }
}

/// A moment that a submitter names: by a clock, or by how long after its acceptance.
package enum SubmittedTime: Hashable, Sendable {
  case at(Timestamp)
  /// After the coordinator has accepted it, by the coordinator's clock.
  case within(Duration)

  /// The moment itself, for a job that is accepted now.
  package func moment(acceptedAt now: Timestamp) -> Timestamp {
    switch self {
    case .at(let moment): moment
    case .within(let duration): now + duration
    }
  }
}

/// What makes a whole job one-shot: while the key is taken, a second submission with it runs nothing and gets the first
/// one's outcome. Keys of different kinds have nothing to do with each other.
package struct SubmissionKey: Hashable, Sendable {
  @ExactText package var text: String
  /// How long the key stays taken; it is never given back before the job has ended.
  package var window: KeyWindow

  package init(text: String, window: KeyWindow = .lasting(defaultWindow)) {
    self.text = text
    self.window = window
  }

  package static let defaultWindow: Duration = .seconds(86_400)
  /// What `teller-key-window` may say.
  package static let windowLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(366 * 86_400))
  /// The longest key, in bytes.
  package static let longest = 200
}

/// What a job waits for, and what becomes of it when that does not succeed.
package struct Dependencies: Hashable, Sendable {
  /// Each once.
  package var jobs: [JobID]
  package var rule: DependencyRule

  package init(jobs: [JobID], rule: DependencyRule = .fail) {
    self.jobs = jobs
    self.rule = rule
  }

  /// How many jobs one may wait for.
  package static let limit = 100
  /// How long the ledger may not know a job that another one waits for: submissions of different producers have no
  /// order among each other.
  package static let unknownLimit: Duration = .seconds(600)
}

/// What becomes of a job when a job of its `after` failed or was cancelled.
public enum DependencyRule: String, Hashable, Sendable, CaseIterable {
  /// The waiting job fails, too, with the code `dependency`.
  case fail
  /// The waiting job is cancelled.
  case cancel
}

/// One job as its submitter describes it.
package struct Submission: Hashable, Sendable {
  package var id: JobID
  package var kind: JobKind
  /// Nil: the coordinator's `kinds:`, else the department named as the kind.
  package var department: Department?
  package var priority: Priority
  package var content: JobContent
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var maxAttempts: Int?
  /// In an ordered department: the place within the plan that runs; a lower rank goes first.
  package var rank: Int?
  /// It is not released before.
  package var runAt: SubmittedTime?
  /// If no attempt has begun by then, it fails instead.
  package var startBy: SubmittedTime?
  /// How long one attempt may run.
  package var timeout: Duration?
  package var after: Dependencies?
  package var key: SubmissionKey?
  package var reply: ReplyAddress?

  package init(
    id: JobID, kind: JobKind, department: Department? = nil, priority: Priority = .normal, payload: [UInt8] = [],
    contentType: String? = nil, submittedAt: Timestamp? = nil, maxAttempts: Int? = nil, rank: Int? = nil,
    runAt: SubmittedTime? = nil, startBy: SubmittedTime? = nil, timeout: Duration? = nil, after: Dependencies? = nil,
    key: SubmissionKey? = nil, reply: ReplyAddress? = nil, trace: TraceContext = TraceContext(),
    headers: [String: String] = [:]
  ) {
    self.id = id
    self.kind = kind
    self.department = department
    self.priority = priority
    content = JobContent(payload: payload, contentType: contentType, trace: trace, headers: headers)
    self.submittedAt = submittedAt
    self.maxAttempts = maxAttempts
    self.rank = rank
    self.runAt = runAt
    self.startBy = startBy
    self.timeout = timeout
    self.after = after
    self.key = key
    self.reply = reply
  }

  /// Attempts of a job whose submission names none.
  package static let defaultMaxAttempts = 3
  /// What `teller-attempts` may say.
  package static let attemptLimits = 1...100
  /// What `teller-rank` and a step's `rank` may say.
  package static let rankLimits = 1...1_000_000
  /// How far ahead `teller-delay-ms`, `teller-run-at` and `teller-start-by` may point.
  package static let longestWait: Duration = .seconds(10 * 366 * 86_400)
  /// What `teller-timeout-ms` may say.
  package static let timeoutLimits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(7 * 86_400))
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
