import AMQP
import JobModel

/// Reads the parts that several of Teller's own messages have in common.
enum Envelope {
  static func job(_ properties: MessageProperties) throws(Unreadable) -> JobID {
    guard let text = properties.messageID else { throw Unreadable("message_id is missing") }
    guard let job = JobID(text) else { throw Unreadable("message_id \(Excerpt.quoted(text)) is not a UUID") }
    return job
  }

  static func release(_ properties: MessageProperties) throws(Unreadable) -> ReleaseID {
    let job = try job(properties)
    return try reading(properties) { headers throws(HeaderProblem) in
      ReleaseID(job: job, number: try headers.requiredGiven(Header.release))
    }
  }

  static func ledger(_ headers: HeaderReader) throws(HeaderProblem) -> LedgerID {
    LedgerID(try identifier(Header.ledger, headers))
  }

  static func worker(_ headers: HeaderReader) throws(HeaderProblem) -> WorkerID {
    WorkerID(try identifier(Header.worker, headers))
  }

  /// The worker that a message names which cannot be used: in its properties, its headers or its JSON; nil: none.
  static func sender(of delivery: Delivery) -> WorkerID? {
    let texts = [
      delivery.properties.appID, delivery.properties.headers[Header.worker]?.string,
      (try? WireJSON.decode(Sender.self, from: delivery.body))?.worker,
    ]
    return texts.compactMap(\.self).first(where: isIdentifier).map { WorkerID($0) }
  }

  private struct Sender: Decodable {
    var worker: String
  }

  /// The bytes of a body, if it is not over the limit.
  static func bytes(of body: Delivery.Body) throws(Unreadable) -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .overLimit(let size): throw Unreadable("the body of \(size) bytes is over the limit")
    }
  }

  /// A number in decimal digits; nil for other bytes, and for a number that Teller never writes.
  static func number(_ word: some Collection<UInt8>) -> Int? {
    guard (1...longestNumber).contains(word.count) else { return nil }
    var number = 0
    for byte in word {
      guard byte.isDigit else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }

  /// Whether a ledger can have given a release or a run this number.
  static func isGiven(_ number: Int) -> Bool { (0...JobProgress.highestNumber).contains(number) }

  static func checkGiven(_ running: RunningRelease) throws(Unreadable) {
    for (name, number) in [("release", running.release.number), ("token", running.token)] where !isGiven(number) {
      throw Unreadable("\(name) \(number) is not between 0 and \(JobProgress.highestNumber)")
    }
  }

  /// The most digits of a number: a number of so many digits always fits.
  private static let longestNumber = 18

  /// Reads headers. A problem with one makes the message unreadable.
  static func reading<Value>(
    _ properties: MessageProperties, _ read: (HeaderReader) throws(HeaderProblem) -> Value
  ) throws(Unreadable) -> Value {
    do throws(HeaderProblem) {
      return try read(HeaderReader(properties))
    } catch {
      throw Unreadable(error.description)
    }
  }

  /// Ids of ledgers and workers become parts of queue names and routing keys, which have at most 255 bytes.
  static func isIdentifier(_ text: String) -> Bool { Department(text) != nil }

  private static func identifier(_ name: String, _ headers: HeaderReader) throws(HeaderProblem) -> String {
    try headers.required(try headers.value(name, expected: "an id") { isIdentifier($0) ? $0 : nil }, name)
  }
}
