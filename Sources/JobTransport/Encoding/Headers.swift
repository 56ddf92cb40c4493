import AMQP
import JobModel

/// The names of Teller's message headers. Public: they change only with a version.
package enum Header {
  /// The beginning of all of Teller's own headers.
  package static let prefix = SubmittedHeaders.reservedPrefix

  package static let department = "teller-department"
  package static let job = "teller-job"
  /// The number of a release within its job.
  package static let release = "teller-release"
  package static let token = "teller-token"
  package static let ledger = "teller-ledger"
  /// On an assignment: it must be claimed before it runs.
  package static let claim = "teller-claim"
  /// On an assignment of a plan's job: the id of the run, the name of the step or the event, and the round.
  package static let plan = "teller-plan"
  package static let step = "teller-step"
  package static let round = "teller-round"
  /// How many attempts the job has.
  package static let attempts = "teller-attempts"
  package static let rank = "teller-rank"
  /// A moment: the job is not released before. Milliseconds since 1970, or a text of RFC 3339.
  package static let runAt = "teller-run-at"
  /// Milliseconds from the acceptance; in place of `runAt`.
  package static let delay = "teller-delay-ms"
  /// A moment, as `runAt`: if no attempt has begun by then, the job fails.
  package static let startBy = "teller-start-by"
  /// Milliseconds from the acceptance; in place of `startBy`.
  package static let startWithin = "teller-start-within-ms"
  /// How long one attempt may run, in milliseconds.
  package static let timeout = "teller-timeout-ms"
  /// The ids of the jobs that must have succeeded before: a list of texts, or one text with commas.
  package static let after = "teller-after"
  /// What becomes of the job when a job of `after` did not succeed: `fail` or `cancel`.
  package static let afterFailed = "teller-after-failed"
  /// Makes the job one-shot among the jobs of its kind.
  package static let key = "teller-key"
  /// How long the key stays taken at least, in whole seconds.
  package static let keyWindow = "teller-key-window"
  /// The last reply that the submitter wants: `accepted` or `outcome`.
  package static let wait = "teller-wait"
  /// On a command: the name of the person who gives it.
  package static let by = "teller-by"
  package static let worker = "teller-worker"
  /// Milliseconds since 1970 by the submitter's clock.
  package static let submitted = "teller-submitted-ms"
  /// The number of a fence.
  package static let number = "teller-number"

  /// Of the ledger, when the message was made.
  package static let epoch = "teller-epoch"
  package static let first = "teller-first"
  package static let last = "teller-last"

  /// Why a message was parked: the code.
  package static let error = "teller-error"
  /// Why a message was parked: the sentence.
  package static let message = "teller-message"
  /// The size of a parked message's body as it was declared, in bytes, when not all of it was kept.
  package static let bodySize = "teller-body-size"
  /// The property `expiration` of a parked message, which would otherwise remove it.
  package static let expiration = "teller-expiration"
  /// The property `user_id` of a parked message, which only that user may set.
  package static let userID = "teller-user-id"
  /// The queue that a parked message came from.
  package static let parkedFrom = "teller-parked-from"
  /// When a message was parked, in milliseconds since 1970 by the coordinator's clock.
  package static let parked = "teller-parked-ms"
  /// Which properties of a parked message were not kept, because the coordinator could not read them.
  package static let lost = "teller-lost"
  /// The headers that parking adds. They may be left on a message that a person puts back.
  static let ofParking: Set<String> = [error, message, bodySize, expiration, userID, parkedFrom, parked, lost]

  /// W3C trace context, handed through untouched.
  package static let traceparent = "traceparent"
  package static let tracestate = "tracestate"
}

/// A header with a wrong value, or a missing one.
struct HeaderProblem: Error, Hashable, CustomStringConvertible {
  var name: String
  /// The right value, as in "a number".
  var expected: String
  /// The wrong value, cut and quoted; nil when the header is missing.
  var found: String?

  static func missing(_ name: String) -> HeaderProblem { HeaderProblem(name: name, expected: "a value") }

  var description: String {
    guard let found else { return "header \(name) is missing" }
    return "header \(name) is \(found), not \(expected)"
  }
}

/// Reads headers by type. A void value counts as missing: some clients send it for "none".
struct HeaderReader {
  let table: FieldTable

  init(_ properties: MessageProperties) {
    table = properties.headers
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  func text(_ name: String) throws(HeaderProblem) -> String? {
    guard let value = value(name) else { return nil }
    guard case .string(let text) = value else { throw problem(name, value, expected: "a text") }
    return text
  }

  /// The value of a text. `expected`: the right texts, for the error.
  func value<Value>(
    _ name: String, expected: String, of read: (String) -> Value?
  ) throws(HeaderProblem) -> Value? {
    guard let text = try text(name) else { return nil }
    guard let value = read(text) else { throw problem(name, .string(text), expected: expected) }
    return value
  }

  /// A list of texts, or one text with commas between its parts: not every client can send a list.
  func texts(_ name: String) throws(HeaderProblem) -> [String]? {
    guard let value = value(name) else { return nil }
    switch value {
    case .string(let text):
      return text.split(separator: ",").map { part in
        let trimmed = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return String(trimmed)
      }
    case .array(let values):
      let texts = values.compactMap(\.string)
      if texts.count == values.count { return texts }
      fallthrough
    default: throw problem(name, value, expected: "a list of texts, or a text with commas")
    }
  }

  /// A whole number of any AMQP type, or in decimal digits.
  func number(_ name: String) throws(HeaderProblem) -> Int64? {
    guard let value = value(name) else { return nil }
    switch value {
    case .int(let number): return number
    case .string(let text):
      if let number = Int64(text) { return number }
      fallthrough
    default: throw problem(name, value, expected: "a whole number")
    }
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(HeaderProblem) -> Int? {
    guard let value = value(name), let number = try number(name) else { return nil }
    guard let small = Int(exactly: number), range.contains(small) else {
      throw problem(name, value, expected: "between \(range.lowerBound) and \(range.upperBound)")
    }
    return small
  }

  /// Whether the header is there and does not say false.
  func isSet(_ name: String) -> Bool {
    guard let value = value(name) else { return false }
    return value != .bool(false)
  }

  /// A count or a number of Teller's own: not negative.
  func requiredCount(_ name: String) throws(HeaderProblem) -> Int {
    try required(try number(name, in: 0...Int.max), name)
  }

  /// The number of a release or a run, as a ledger can have given it.
  func requiredGiven(_ name: String) throws(HeaderProblem) -> Int {
    try required(try number(name, in: 0...JobProgress.highestNumber), name)
  }

  func required<Value>(_ value: Value?, _ name: String) throws(HeaderProblem) -> Value {
    guard let value else { throw .missing(name) }
    return value
  }

  func problem(_ name: String, _ value: FieldValue, expected: String) -> HeaderProblem {
    HeaderProblem(name: name, expected: expected, found: HeaderReader.show(value))
  }

  func value(_ name: String) -> FieldValue? {
    guard let value = table[name], value != .void else { return nil }
    return value
  }

  private static func show(_ value: FieldValue) -> String {
    switch value {
    case .string(let text): Excerpt.quoted(text)
    case .int(let number): String(number)
    case .double(let number): String(number)
    case .bool(let flag): String(flag)
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .timestamp: "a timestamp"
    case .table: "a table"
    case .array: "a list"
    case .void: "nothing"
    case .unsupported: "of an unknown type"
    }
  }
}
