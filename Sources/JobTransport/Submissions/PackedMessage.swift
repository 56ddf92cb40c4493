import AMQP
import JobModel

/// Reads a submission of a pack as the message that it would be alone: to be parked, or where something in it is wrong or
/// rare, and is to be told in the same words as of a submission alone.
struct PackedMessage {
  private static let words = 10

  private let pack: SharedPack

  init(_ pack: SharedPack) { self.pack = pack }

  /// Moves the cursor behind the submission.
  func read(_ cursor: inout PackCursor) throws(Unreadable) -> Delivery {
    let line = try cursor.readWords(PackedMessage.words)
    // AMQP's own limit of a text: the submission may have to be parked, as a message of its own.
    guard line.allSatisfy({ $0.count <= SubmissionPacks.longestText }) else {
      throw Unreadable("it has a word that is too long")
    }
    let words = try line.map { word throws(Unreadable) in
      guard let text = String(utf8: word) else { throw Unreadable("its line is not UTF-8") }
      return text
    }
    let counts = line[7...].compactMap(Envelope.number)
    guard counts.count == 3 else { throw Unreadable("its line counts something that is no number") }
    var one = pack.delivery
    one.properties = MessageProperties(
      headers: try headers(words), priority: try octet(words[3]), userID: one.properties.userID)
    one.properties.messageID = words[0]
    one.properties.type = words[1]
    one.properties.replyTo = given(words[6]) == nil ? nil : pack.delivery.properties.replyTo
    one.properties.correlationID = try text(cursor.take(counts[0]), "correlation id")
    one.properties.contentType = try text(cursor.take(counts[1]), "content type")
    one.body = .bytes(Array(try cursor.take(counts[2])))
    return one
  }

  private func headers(_ words: [String]) throws(Unreadable) -> FieldTable {
    var headers = pack.headers
    headers[Header.department] = given(words[2]).map { .string($0) }
    headers[Header.attempts] = try number(words[4], "number of attempts").map { .int(Int64($0)) }
    headers[Header.submitted] = try number(words[5], "time").map { .int(Int64($0)) }
    headers[Header.wait] = given(words[6]).map { .string($0) }
    return headers
  }

  private func given(_ word: String) -> String? { word == SubmissionPacks.nothing ? nil : word }

  private func number(_ word: String, _ name: String) throws(Unreadable) -> Int? {
    guard let word = given(word) else { return nil }
    guard let number = Envelope.number(word.utf8) else { throw Unreadable("its \(name) is no number") }
    return number
  }

  private func octet(_ word: String) throws(Unreadable) -> UInt8? {
    guard let number = try number(word, "priority") else { return nil }
    guard let octet = UInt8(exactly: number) else { throw Unreadable("its priority is none") }
    return octet
  }

  private func text(_ bytes: ArraySlice<UInt8>, _ name: String) throws(Unreadable) -> String? {
    if bytes.isEmpty { return nil }
    guard bytes.count <= SubmissionPacks.longestText, let text = String(utf8: bytes) else {
      throw Unreadable("its \(name) is not UTF-8 of at most \(SubmissionPacks.longestText) bytes")
    }
    return text
  }
}
