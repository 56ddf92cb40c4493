import AMQP
import JobModel

/// Reads the submissions of one message, each as the message that it would be alone.
struct SubmissionPackReader {
  /// The most submissions that are read of one message; what is behind them is refused.
  static let countLimit = 1_000
  private static let words = 10

  private let delivery: Delivery
  private var cursor: PackCursor

  init(_ delivery: Delivery, _ body: [UInt8]) {
    (self.delivery, cursor) = (delivery, PackCursor(body))
  }

  /// Every submission, and why what is behind them cannot be read, if it cannot.
  mutating func read() -> (submissions: [Delivery], rejection: Rejection?) {
    var submissions: [Delivery] = []
    do throws(JobFailure) {
      if let name = unexpectedHeader {
        throw .notSupported(header: name, reason: "a message of several submissions has no headers of its own")
      }
      repeat { submissions.append(try readOne(submissions.count + 1)) } while !cursor.isAtEnd
      return (submissions, nil)
    } catch {
      return (submissions, Rejection(error, of: delivery.properties))
    }
  }

  private mutating func readOne(_ number: Int) throws(JobFailure) -> Delivery {
    do throws(Unreadable) {
      if number > SubmissionPackReader.countLimit { throw Unreadable("it is one too many") }
      return try readOne()
    } catch {
      throw .badPack("submission \(number) of the message: \(error.reason)")
    }
  }

  /// What is ignored in silence would run jobs in a way that nobody asked for.
  private var unexpectedHeader: String? {
    delivery.properties.headers.keys.filter { $0.hasPrefix(Header.prefix) && !Header.ofParking.contains($0) }.min()
  }

  private mutating func readOne() throws(Unreadable) -> Delivery {
    let line = try cursor.readWords(SubmissionPackReader.words)
    let words = line.map { String(decoding: $0, as: UTF8.self) }
    let counts = line[7...].compactMap(Envelope.number)
    guard counts.count == 3 else { throw Unreadable("its line counts something that is no number") }
    var one = delivery
    one.properties = MessageProperties(
      headers: try headers(words), priority: try octet(words[3]), userID: delivery.properties.userID)
    one.properties.messageID = words[0]
    one.properties.type = words[1]
    one.properties.replyTo = said(words[6]) == nil ? nil : delivery.properties.replyTo
    one.properties.correlationID = try text(cursor.take(counts[0]), "correlation id")
    one.properties.contentType = try text(cursor.take(counts[1]), "content type")
    one.body = .bytes(Array(try cursor.take(counts[2])))
    return one
  }

  private func headers(_ words: [String]) throws(Unreadable) -> FieldTable {
    var headers: FieldTable = [:]
    headers[Header.department] = said(words[2]).map { .string($0) }
    headers[Header.attempts] = try number(words[4], "number of attempts").map { .int(Int64($0)) }
    headers[Header.submitted] = try number(words[5], "time").map { .int(Int64($0)) }
    headers[Header.wait] = said(words[6]).map { .string($0) }
    return headers
  }

  private func said(_ word: String) -> String? { word == SubmissionPacks.nothing ? nil : word }

  private func number(_ word: String, _ what: String) throws(Unreadable) -> Int? {
    guard let word = said(word) else { return nil }
    guard let number = Envelope.number(word.utf8) else { throw Unreadable("its \(what) is no number") }
    return number
  }

  private func octet(_ word: String) throws(Unreadable) -> UInt8? {
    guard let number = try number(word, "priority") else { return nil }
    guard let octet = UInt8(exactly: number) else { throw Unreadable("its priority is none") }
    return octet
  }

  private func text(_ bytes: ArraySlice<UInt8>, _ what: String) throws(Unreadable) -> String? {
    if bytes.isEmpty { return nil }
    guard bytes.count <= SubmissionPacks.longestText, let text = String(validating: bytes, as: UTF8.self) else {
      throw Unreadable("its \(what) is not UTF-8 of at most \(SubmissionPacks.longestText) bytes")
    }
    return text
  }
}
