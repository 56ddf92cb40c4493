public import Foundation

/// A job's identity: a UUID chosen by whoever submits it, so that the same submission sent twice is one job.
///
/// Teller's own clients use version 7 (RFC 9562, section 5.7), which sorts by time; any UUID is accepted.
public struct JobID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The UUID as it stands in the message's `message_id`.
  public let uuid: UUID

  /// An id with the value of a UUID.
  public init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// An id from its text form, in upper or lower case; nil when it is no UUID.
  public init?(_ text: String) {
    guard let uuid = UUIDText.read(text) else { return nil }
    self.uuid = uuid
  }

  /// The same of the text's bytes: every submission of a full load comes so.
  package init?(utf8 text: ArraySlice<UInt8>) {
    guard let uuid = UUIDText.read(text) else { return nil }
    self.uuid = uuid
  }

  /// A new id of version 7 for the present time.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(version7: .now(), using: &generator)
  }

  /// Hashes the id as two numbers. Every step of a job looks the job up by its id, and to hash sixteen single bytes takes
  /// longer.
  public func hash(into hasher: inout Hasher) {
    let halves = unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    hasher.combine(halves.0)
    hasher.combine(halves.1)
  }

  /// The id in lower case, as it stands on the wire.
  public var description: String { UUIDText.write(uuid) }

  /// An id from its text form; an error names what is no UUID.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = JobID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text.prefix(64))\" is not a UUID")
    }
    self = id
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// One worker process. New in every process and never a stable name: two processes that believe to be the same worker
/// would answer for each other's jobs.
public struct WorkerID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The id as text.
  @ExactText public private(set) var text: String
  package init(_ text: String) { self.text = text }
  package init() { self.text = JobID().description }
  /// The id as text.
  public var description: String { text }
  /// Reads the text.
  public init(from decoder: any Decoder) throws { text = try String(from: decoder) }
  /// Writes the text.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// One ledger file. Every assignment and report carries it, so that a report never reaches a ledger it is not about.
public struct LedgerID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The id as text.
  @ExactText public private(set) var text: String
  package init(_ text: String) { self.text = text }
  package init() { self.text = JobID().description }
  /// The id as text.
  public var description: String { text }
  /// Reads the text.
  public init(from decoder: any Decoder) throws { text = try String(from: decoder) }
  /// Writes the text.
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// Names one release of a job, that is: one message in a department's queue. It never changes, while the token that
/// fences reports is replaced by every granted claim.
package struct ReleaseID: Hashable, Sendable, Codable, CustomStringConvertible {
  package var job: JobID
  /// The token the job had when it was released; unique within the job.
  package var number: Int
  package init(job: JobID, number: Int) {
    self.job = job
    self.number = number
  }
  package var description: String { "\(job)/\(number)" }

  enum CodingKeys: String, CodingKey {
    case job
    case number = "release"
  }
}
