package import AMQP
package import JobModel

/// Packs: several submissions in one message, since a message costs the broker as much as the rest of a job's way.
///
/// Each submission is a line of words,
///
///     JOB KIND DEPARTMENT PRIORITY ATTEMPTS SUBMITTED_MS WAIT CORRELATION_BYTES CONTENT_TYPE_BYTES BODY_BYTES
///
/// and behind it the bytes of its correlation id, its content type and its body. `-` stands for a word that is not given. A
/// submission with other headers of Teller's cannot be in a pack. The reply to a submission with a WAIT goes to the message's
/// `reply_to`. The trace and the submitter's own headers are those of the message, the same for all of its submissions.
package enum SubmissionPacks {
  /// The content type of a pack.
  package static let contentType = "application/vnd.teller.submissions"
  /// The most submissions of a pack.
  package static let countLimit = 64
  /// A pack with this many bytes takes no further submission; a submission with a larger payload is in no pack.
  package static let byteLimit = 64 << 10

  /// A message with one or more submissions.
  package struct Pack: Sendable {
    package var message: Publishing
    package var count: Int
    /// The submissions of a message of several; else empty.
    private var submissions: [Submission] = []

    /// A message of one submission or one plan, unless it has another count.
    package init(_ message: Publishing, count: Int = 1) { (self.message, self.count) = (message, count) }

    fileprivate init(_ message: Publishing, of submissions: [Submission]) {
      self.init(message, count: submissions.count)
      self.submissions = submissions
    }

    /// A message for each submission of several; else empty.
    package var parts: [Pack] { submissions.map { Pack(SubmissionCodec.encode($0)) } }
  }

  /// The submissions in their order, in as few messages as possible. A submission that cannot be in a pack has a message of
  /// its own.
  package static func write(_ submissions: some Sequence<Submission>) -> [Pack] {
    var packs: [Pack] = []
    var pack = Builder()
    for submission in submissions {
      if !pack.takes(submission) { packs += pack.finish() }
      pack.append(submission)
    }
    return packs + pack.finish()
  }

  /// Collects the submissions of one message.
  private struct Builder {
    private var submissions: [Submission] = []
    private var bytes = 0

    func takes(_ submission: Submission) -> Bool {
      guard let first = submissions.first else { return true }
      return first.isPlain && submission.isPlain
        && first.reply.map { ExactText($0.replyTo) } == submission.reply.map { ExactText($0.replyTo) }
        && first.content.hasHeaders(of: submission.content) && submissions.count < countLimit && bytes < byteLimit
    }

    mutating func append(_ submission: Submission) {
      submissions.append(submission)
      bytes += submission.content.payload.count
    }

    /// The message, if there is a submission. The next message begins empty.
    mutating func finish() -> [Pack] {
      guard let first = submissions.first else { return [] }
      defer { self = Builder() }
      if submissions.count == 1 { return [Pack(SubmissionCodec.encode(first))] }
      var body: [UInt8] = []
      body.reserveCapacity(bytes + submissions.count * PackCursor.longestLine / 4)
      for submission in submissions { SubmissionPacks.append(submission, to: &body) }
      var properties = MessageProperties(contentType: contentType, replyTo: first.reply?.replyTo)
      ContentHeaders.write(first.content, to: &properties)
      return [Pack(SubmissionCodec.publishing(properties, body: body), of: submissions)]
    }
  }

  private static func append(_ submission: Submission, to body: inout [UInt8]) {
    let tail = [submission.reply?.correlationID, submission.content.contentType].map { Array(($0 ?? "").utf8) }
    body.append(contentsOf: submission.id.description.utf8)
    body.append(word: submission.kind.name)
    body.append(word: submission.department?.name ?? nothing)
    body.append(word: submission.priority.level)
    body.append(word: submission.maxAttempts.map(String.init) ?? nothing)
    body.append(word: submission.submittedAt.map { String($0.milliseconds) } ?? nothing)
    body.append(word: submission.reply?.wait.rawValue ?? nothing)
    for bytes in tail + [submission.content.payload] { body.append(word: bytes.count) }
    body.endLine()
    for bytes in tail + [submission.content.payload] { body += bytes }
  }

  /// Whether a message with this content type is read as a pack.
  package static func isContentType(_ text: String?) -> Bool {
    MessageProperties(contentType: text).hasContentType(contentType)
  }

  /// The word for a value that is not given.
  static let nothing = "-"
  /// AMQP's own limit of a property's text, in bytes.
  static let longestText = 255
}

extension Submission {
  /// Whether the submission can be in a pack.
  fileprivate var isPlain: Bool {
    runAt == nil && startBy == nil && timeout == nil && after == nil && key == nil && rank == nil
      && content.payload.count <= SubmissionPacks.byteLimit
      && [content.contentType, reply?.correlationID].allSatisfy { ($0?.utf8.count ?? 0) <= SubmissionPacks.longestText }
      && submittedAt.map { $0.milliseconds >= 0 } ?? true && department?.name != SubmissionPacks.nothing
  }
}
