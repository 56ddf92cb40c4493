import AMQP
import JobModel

/// The ledger and the numbers of a release, as words in the property `correlation_id` of an assignment.
///
/// Not as headers: each job has such a message, and the broker reads, copies and frees a message's header table several
/// times. Eight headers cost the broker two fifths more than none, a few properties a fifth.
struct CorrelationWords {
  private static let separator = UInt8(ascii: " ")

  let ledger: LedgerID
  let numbers: [Int]

  /// The text of a ledger and of numbers. A negative number is written as zero.
  static func text(_ ledger: LedgerID, _ numbers: Int...) -> String {
    var text = ledger.text
    for number in numbers {
      text += " "
      text += String(max(0, number))
    }
    return text
  }

  /// Reads so many numbers, in decimal digits.
  init(_ properties: MessageProperties, count: Int) throws(Unreadable) {
    guard let text = properties.correlationID else { throw Unreadable("correlation_id is missing") }
    var words = text.utf8.split(separator: CorrelationWords.separator, omittingEmptySubsequences: false)[...]
    guard let name = words.popFirst().map({ String(Substring($0)) }), Envelope.isIdentifier(name) else {
      throw CorrelationWords.unreadable(text, count)
    }
    let numbers = words.compactMap { Envelope.number($0) }
    guard numbers.count == count, words.count == count else { throw CorrelationWords.unreadable(text, count) }
    ledger = LedgerID(name)
    self.numbers = numbers
  }

  private static func unreadable(_ text: String, _ count: Int) -> Unreadable {
    Unreadable("correlation_id \(Excerpt.quoted(text)) is not a ledger and \(count) numbers")
  }
}
