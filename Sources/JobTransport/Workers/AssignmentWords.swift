import AMQP
import JobModel

/// The numbers of a release, and its trace, as words in the property `correlation_id` of an assignment:
/// `LEDGER EPOCH RELEASE TOKEN ATTEMPT ATTEMPTS RELEASED_MS`, of a traced job with ` ACCEPTED_MS TRACEPARENT` behind them.
///
/// Not as headers: each job has such a message, and the broker reads, copies and frees a message's header table several
/// times. Eight headers cost the broker two fifths more than none, a few properties a fifth.
struct AssignmentWords: Hashable {
  var ledger: LedgerID
  var epoch: Int
  var release: Int
  var token: Int
  var attempt: Int
  /// Nil: nobody has said how many.
  var maxAttempts: Int?
  /// Nil: nobody has said when.
  var releasedAt: Timestamp?
  var acceptedAt: Timestamp?
  /// Only beside `acceptedAt`.
  var traceparent: String?

  private static let separator = UInt8(ascii: " ")
  /// The words of every assignment: a ledger and six numbers.
  private static let plainCount = 7
  /// The number of attempts of which nobody has said how many they are, and the time that nobody has said.
  private static let unsaid = 0
  /// The longest text of the property, in bytes.
  private static let longestText = 255

  /// The text of all words. A negative number is written as zero.
  private var text: String {
    var text = ledger.text
    for number in [epoch, release, token, attempt, maxAttempts ?? AssignmentWords.unsaid] {
      text += " "
      text += String(max(0, number))
    }
    text += " \(max(Int64(AssignmentWords.unsaid), releasedAt?.milliseconds ?? 0))"
    if let acceptedAt { text += " \(max(0, acceptedAt.milliseconds))" }
    if let traceparent { text += " \(traceparent)" }
    return text
  }

  /// Writes the words. A trace that is no single word, or does not fit, becomes a header: no job fails because of its trace.
  func write(to properties: inout MessageProperties) {
    guard let traceparent else { return properties.correlationID = text }
    let text = text
    if acceptedAt != nil, text.utf8.count <= AssignmentWords.longestText, AssignmentWords.isWord(traceparent) {
      properties.correlationID = text
    } else {
      var others = self
      others.traceparent = nil
      properties.correlationID = others.text
      properties.headers[Header.traceparent] = .string(traceparent)
    }
  }

  private static func isWord(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(separator) }
}

extension AssignmentWords {
  init(_ properties: MessageProperties) throws(Unreadable) {
    guard var text = properties.correlationID else { throw Unreadable("correlation_id is missing") }
    guard let words = text.withUTF8({ AssignmentWords(text: $0) }) else {
      throw Unreadable(
        "correlation_id \(Excerpt.quoted(text)) is not a ledger and six numbers, and of a trace two words more")
    }
    self = words
    if traceparent == nil { traceparent = properties.headers[Header.traceparent]?.string }
  }

  private init?(text: UnsafeBufferPointer<UInt8>) {
    let words = text.split(separator: AssignmentWords.separator, omittingEmptySubsequences: false)
    let plain = AssignmentWords.plainCount
    guard (plain...plain + 2).contains(words.count) else { return nil }
    let ledger = String(decoding: words[0], as: UTF8.self)
    let numbers = words[1...].prefix(plain).compactMap(Envelope.number)
    guard Envelope.isIdentifier(ledger), numbers.count == min(words.count - 1, plain),
      // A presence with another number would be unreadable as a whole.
      numbers[1...2].allSatisfy(Envelope.isGiven)
    else { return nil }
    self.init(
      ledger: LedgerID(ledger), epoch: numbers[0], release: numbers[1], token: numbers[2], attempt: numbers[3],
      maxAttempts: numbers[4] == AssignmentWords.unsaid ? nil : numbers[4],
      releasedAt: numbers[5] == AssignmentWords.unsaid ? nil : Timestamp(milliseconds: Int64(numbers[5])),
      acceptedAt: words.count > plain ? Timestamp(milliseconds: Int64(numbers[6])) : nil,
      traceparent: words.count > plain + 1 ? String(decoding: words[plain + 1], as: UTF8.self) : nil)
  }
}
