package import AMQP
package import JobModel

/// What a message of several submissions held.
package struct UnpackedSubmissions: Sendable {
  /// Each as the message that it would be alone.
  package fileprivate(set) var submissions: [Delivery] = []
  /// Why what is behind them cannot be read, and a message of only that; nil: all of it was read.
  package fileprivate(set) var rejected: (rejection: Rejection, message: Delivery)?
}

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

  /// Every submission; and if one cannot be read, why, with the message of that one and all behind it.
  mutating func read() -> UnpackedSubmissions {
    var opened = UnpackedSubmissions()
    var start = 0
    do throws(JobFailure) {
      try refuseWhatWouldBeIgnored()
      repeat {
        start = cursor.position
        opened.submissions.append(try readOne(opened.submissions.count + 1))
      } while !cursor.isAtEnd
    } catch {
      var rest = delivery
      rest.body = .bytes(Array(cursor.body[start...]))
      opened.rejected = (Rejection(error, of: delivery.properties), rest)
    }
    return opened
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
  private func refuseWhatWouldBeIgnored() throws(JobFailure) {
    let properties = delivery.properties
    if let name = properties.headers.keys.filter({ $0.hasPrefix(Header.prefix) && !Header.ofParking.contains($0) })
      .min()
    {
      throw .notSupported(header: name, reason: "a message of several submissions has no headers of its own")
    }
    if properties.priority != nil { throw .badPack("the message has a priority: each submission has one of its own") }
  }

  private mutating func readOne() throws(Unreadable) -> Delivery {
    let line = try cursor.readWords(SubmissionPackReader.words)
    // AMQP's own limit of a text: what is read here may have to be parked, as a message of its own.
    guard line.allSatisfy({ $0.count <= SubmissionPacks.longestText }) else {
      throw Unreadable("it has a word that is too long")
    }
    let words = try line.map { word throws(Unreadable) in
      guard let text = String(validating: word, as: UTF8.self) else { throw Unreadable("its line is not UTF-8") }
      return text
    }
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
