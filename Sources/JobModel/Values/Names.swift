/// The kind of a job: which handler runs it. 1–100 letters, digits, `-` and `_`.
public struct JobKind: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The kind's name.
  public let name: String

  /// A kind of that name; nil when the name is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: some StringProtocol) {
    self.init(String(name))
  }

  /// The same of a `String`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// A kind written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not a kind: 1–100 letters, digits, - and _")
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: JobKind, right: JobKind) -> Bool { left.name < right.name }
}

/// What is said by kind is an object in JSON, with the kinds' names.
extension JobKind: CodingKeyRepresentable {
  /// The name.
  public var codingKey: any CodingKey { name.codingKey }
  /// Reads a name; nil when it is not valid.
  public init?<Key: CodingKey>(codingKey: Key) { self.init(codingKey.stringValue) }
}

/// A department: the queue its jobs wait in, and the tellers who serve it. 1–100 letters, digits, `-` and `_`.
public struct Department: Hashable, Sendable, Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The department's name.
  public let name: String

  /// A department of that name; nil when it is empty, too long, or has other characters than letters, digits, `-`, `_`.
  public init?(_ name: some StringProtocol) {
    self.init(String(name))
  }

  /// The same of a `String`.
  public init?(_ name: String) {
    guard Name.isValid(name) else { return nil }
    self.name = name
  }

  /// A department written in the source. A name that is not valid is a mistake in that source, and stops the program.
  public init(stringLiteral name: String) {
    precondition(Name.isValid(name), "\"\(name)\" is not a department: 1–100 letters, digits, - and _")
    self.name = name
  }

  /// Reads a name, and refuses one that is not valid.
  public init(from decoder: any Decoder) throws { name = try Name.decode(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
  /// The name.
  public var description: String { name }
  /// By name.
  public static func < (left: Department, right: Department) -> Bool { left.name < right.name }
}

extension UInt8 {
  /// Whether it is one of the digits 0–9 in ASCII.
  @inlinable package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// What kinds and departments have in common. No dots: both become words of a routing key.
enum Name {
  static let longest = 100

  /// Not generic: every job has several names, and a generic one is looked at through witness tables.
  static func isValid(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      guard (1...longest).contains(bytes.count) else { return false }
      for byte in bytes where !isValid(byte) { return false }
      return true
    }
  }

  private static func isValid(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  static func decode(from decoder: any Decoder) throws -> String {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard isValid(name) else {
      let problem = "\"\(name.prefix(longest))\" is not a name: 1–\(longest) letters, digits, - and _"
      throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
    }
    return name
  }
}
