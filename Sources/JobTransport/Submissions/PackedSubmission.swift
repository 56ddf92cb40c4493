import AMQP
import JobModel

/// Reads a submission of a pack straight from its bytes, where nothing in it is wrong or rare. To make it the message that
/// it would be alone, and to read that one, takes several times as long, for each job of a full load.
struct PackedSubmission {
  private let pack: SharedPack
  private let shared: JobContent
  private var cursor: PackCursor

  /// - Returns: the submission at the cursor, which moves behind it; nil: it is to be read as a message.
  static func read(in pack: SharedPack, _ cursor: inout PackCursor) -> Submission? {
    guard let shared = pack.content else { return nil }
    var reader = PackedSubmission(pack: pack, shared: shared, cursor: cursor)
    guard let submission = reader.read() else { return nil }
    cursor = reader.cursor
    return submission
  }

  private mutating func read() -> Submission? {
    guard let job = word().flatMap({ JobID(utf8: $0) }), let kind = word().flatMap({ JobKind(Self.text($0)) }),
      let department = given({ Department(Self.text($0)) }), let priority = given({ Envelope.number($0) }),
      let attempts = given({ Envelope.number($0) }), let submitted = given({ Envelope.number($0) }),
      let wait = given({ ReplyAddress.Wait(rawValue: Self.text($0)) }),
      let counts = counts(), let correlationID = shortText(counts.0), let contentType = shortText(counts.1),
      let payload = try? cursor.take(counts.2), let reply = reply(wait, correlationID)
    else { return nil }
    var submission = Submission(id: job, kind: kind, department: department)
    guard isUsual(contentType), set(priority, attempts, submitted, of: &submission) else { return nil }
    submission.reply = reply
    submission.content = shared
    submission.content.contentType = contentType
    submission.content.payload = Array(payload)
    return submission
  }

  /// - Returns: whether each number is within its limits.
  private func set(_ priority: Int?, _ attempts: Int?, _ submitted: Int?, of submission: inout Submission) -> Bool {
    if let priority {
      guard let level = Priority(priority) else { return false }
      submission.priority = level
    }
    if let submitted {
      submission.submittedAt = Timestamp(milliseconds: Int64(submitted))
      guard submitted <= Int(HeaderReader.latestTime.milliseconds) else { return false }
    }
    submission.maxAttempts = attempts
    return attempts.map(Submission.attemptLimits.contains) ?? true
  }

  /// - Returns: nil: the address is refused, or missing. A `.some` of nil: no answer is wanted.
  private func reply(_ wait: ReplyAddress.Wait?, _ correlationID: String?) -> ReplyAddress?? {
    guard let wait else { return .some(nil) }
    return pack.replyTo.map { .some(ReplyAddress(replyTo: $0, correlationID: correlationID, wait: wait)) }
  }

  /// Whether the content type is that of a job.
  private func isUsual(_ contentType: String?) -> Bool {
    guard let contentType else { return true }
    let properties = MessageProperties(contentType: contentType)
    return !SubmissionCodec.isPlan(properties) && !SubmissionCodec.isEvent(properties)
  }
}

extension PackedSubmission {
  private mutating func word(last: Bool = false) -> ArraySlice<UInt8>? {
    cursor.readWord(endedBy: last ? UInt8(ascii: "\n") : UInt8(ascii: " "), atMost: SubmissionPacks.longestText)
  }

  /// - Returns: nil: the word is not understood. A `.some` of nil: it is not given.
  private mutating func given<Value>(_ read: (ArraySlice<UInt8>) -> Value?) -> Value?? {
    guard let word = word() else { return nil }
    if word.count == 1, word.first == Self.nothing { return .some(nil) }
    return read(word).map { .some($0) }
  }

  /// The bytes of the correlation id, the content type and the payload.
  private mutating func counts() -> (Int, Int, Int)? {
    guard let first = word().flatMap({ Envelope.number($0) }), let second = word().flatMap({ Envelope.number($0) }),
      let third = word(last: true).flatMap({ Envelope.number($0) })
    else { return nil }
    return (first, second, third)
  }

  /// - Returns: nil: it is no text, or a long one. A `.some` of nil: it is empty.
  private mutating func shortText(_ count: Int) -> String?? {
    guard count <= SubmissionPacks.longestText, let bytes = try? cursor.take(count) else { return nil }
    if bytes.isEmpty { return .some(nil) }
    return String(utf8: bytes).map { .some($0) }
  }

  /// Bytes that are no UTF-8 become a character that no name has.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let nothing = UInt8(ascii: "-")
}
