package import AMQP
package import JobModel

/// Submissions as the bodies of messages, several in one: a message costs the broker as much as the rest of a job's way.
///
/// Behind a line of words come the bytes that it counts:
///
///     JOB KIND DEPARTMENT PRIORITY ATTEMPTS SUBMITTED_MS WAIT CORRELATION_BYTES CONTENT_TYPE_BYTES BODY_BYTES
///
/// and then its correlation id, its content type and its body. `-` stands for what is not said; what a submission of its
/// own says in other headers cannot be said here. Those with a WAIT are answered at the message's `reply_to`.
package enum SubmissionPacks {
  /// What says that a message is of several submissions.
  package static let contentType = "application/vnd.teller.submissions"
  /// The most submissions of one message.
  package static let countLimit = 64
  /// No further one once a message has this many bytes, and none at all with a larger payload.
  package static let byteLimit = 64 << 10

  /// Submissions that have the same way.
  package struct Pack: Sendable {
    package var message: Publishing
    package var count: Int

    /// Of one submission or one plan.
    package init(_ message: Publishing) { self.init(message: message, count: 1) }

    fileprivate init(message: Publishing, count: Int) { (self.message, self.count) = (message, count) }
  }

  /// In their order, neighbours in as few messages as possible; who says what a pack cannot say has a message of its own.
  package static func write(_ submissions: some Sequence<Submission>) -> [Pack] {
    var packs: [Pack] = []
    var pack = Builder()
    for submission in submissions {
      if !pack.takes(submission) { packs += pack.finish() }
      pack.append(submission)
    }
    return packs + pack.finish()
  }

  /// The submissions that are going to be one message.
  private struct Builder {
    private var submissions: [Submission] = []
    private var bytes = 0

    func takes(_ submission: Submission) -> Bool {
      guard let first = submissions.first else { return true }
      return first.isPlain && submission.isPlain && first.reply?.replyTo == submission.reply?.replyTo
        && submissions.count < countLimit && bytes < byteLimit
    }

    mutating func append(_ submission: Submission) {
      submissions.append(submission)
      bytes += submission.payload.count
    }

    /// The message; none of no submission. The next one begins empty.
    mutating func finish() -> [Pack] {
      guard let first = submissions.first else { return [] }
      defer { self = Builder() }
      if submissions.count == 1 { return [Pack(SubmissionCodec.encode(first))] }
      var body: [UInt8] = []
      body.reserveCapacity(bytes + submissions.count * PackCursor.longestLine / 4)
      for submission in submissions { SubmissionPacks.append(submission, to: &body) }
      let properties = MessageProperties(contentType: contentType, replyTo: first.reply?.replyTo)
      return [Pack(message: SubmissionCodec.publishing(properties, body: body), count: submissions.count)]
    }
  }

  private static func append(_ submission: Submission, to body: inout [UInt8]) {
    let tail = [submission.reply?.correlationID, submission.contentType].map { Array(($0 ?? "").utf8) }
    body.append(contentsOf: submission.id.description.utf8)
    body.append(word: submission.kind.name)
    body.append(word: submission.department?.name ?? nothing)
    body.append(word: submission.priority.level)
    body.append(word: submission.maxAttempts.map(String.init) ?? nothing)
    body.append(word: submission.submittedAt.map { String($0.milliseconds) } ?? nothing)
    body.append(word: submission.reply?.wait.rawValue ?? nothing)
    for bytes in tail + [submission.payload] { body.append(word: bytes.count) }
    body.endLine()
    for bytes in tail + [submission.payload] { body += bytes }
  }

  /// Whether a message with this content type is read as several submissions.
  package static func isContentType(_ text: String?) -> Bool {
    MessageProperties(contentType: text).hasContentType(contentType)
  }

  /// The word for what is not said.
  static let nothing = "-"
  /// AMQP's own limit of a property's text, in bytes: each is what it would be alone.
  static let longestText = 255
}

extension Submission {
  /// Whether a pack can say all of it.
  fileprivate var isPlain: Bool {
    runAt == nil && startBy == nil && timeout == nil && after == nil && key == nil && rank == nil
      && trace == TraceContext() && payload.count <= SubmissionPacks.byteLimit
      && [contentType, reply?.correlationID].allSatisfy { ($0?.utf8.count ?? 0) <= SubmissionPacks.longestText }
      && submittedAt.map { $0.milliseconds >= 0 } ?? true && department?.name != SubmissionPacks.nothing
  }
}
