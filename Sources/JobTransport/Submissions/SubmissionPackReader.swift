package import AMQP
package import JobModel

/// The submissions of a pack.
package struct UnpackedSubmissions: Sendable {
  /// Each submission as the message that it would be alone.
  package fileprivate(set) var submissions: [Delivery] = []
  /// Why the rest of the pack cannot be read, and a message of only that rest; nil: all of it was read.
  package fileprivate(set) var rejected: (rejection: Rejection, message: Delivery)?
}

/// Reads the submissions of a pack, each as the message that it would be alone.
struct SubmissionPackReader {
  /// The most submissions that are read of one pack; the others are refused.
  static let countLimit = 1_000
  private static let words = 10

  private let delivery: Delivery
  /// The headers of every submission: without those that parking added.
  private let shared: FieldTable
  private var cursor: PackCursor

  init(_ delivery: Delivery, _ body: [UInt8]) {
    (self.delivery, cursor) = (delivery, PackCursor(body))
    shared = delivery.properties.headers.filter { !$0.key.hasPrefix(Header.prefix) }
  }

  /// Reads every submission up to the first that cannot be read.
  mutating func read() -> UnpackedSubmissions {
    var opened = UnpackedSubmissions()
    var start = 0
    do throws(JobFailure) {
      try refuseHeaders()
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

  /// Refuses headers of the whole pack: if they were ignored in silence, the jobs would run in another way than their
  /// submitter asked for.
  private func refuseHeaders() throws(JobFailure) {
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
    var one = delivery
    one.properties = MessageProperties(
      headers: try headers(words), priority: try octet(words[3]), userID: delivery.properties.userID)
    one.properties.messageID = words[0]
    one.properties.type = words[1]
    one.properties.replyTo = given(words[6]) == nil ? nil : delivery.properties.replyTo
    one.properties.correlationID = try text(cursor.take(counts[0]), "correlation id")
    one.properties.contentType = try text(cursor.take(counts[1]), "content type")
    one.body = .bytes(Array(try cursor.take(counts[2])))
    return one
  }

  private func headers(_ words: [String]) throws(Unreadable) -> FieldTable {
    var headers = shared
    headers[Header.department] = given(words[2]).map { .string($0) }
    headers[Header.attempts] = try number(words[4], "number of attempts").map { .int(Int64($0)) }
    headers[Header.submitted] = try number(words[5], "time").map { .int(Int64($0)) }
    headers[Header.wait] = given(words[6]).map { .string($0) }
    return headers
  }

  private func given(_ word: String) -> String? { word == SubmissionPacks.nothing ? nil : word }

  private func number(_ word: String, _ what: String) throws(Unreadable) -> Int? {
    guard let word = given(word) else { return nil }
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
    guard bytes.count <= SubmissionPacks.longestText, let text = String(utf8: bytes) else {
      throw Unreadable("its \(what) is not UTF-8 of at most \(SubmissionPacks.longestText) bytes")
    }
    return text
  }
}
