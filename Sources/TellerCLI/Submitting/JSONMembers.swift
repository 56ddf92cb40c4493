import Foundation

/// The members of one JSON object, with their values as bytes: a payload reaches its handler exactly as it was written,
/// whatever the size of its numbers and the order of its members.
///
/// Values are delimited, not checked.
struct JSONMembers {
  typealias Problem = BatchLine.Problem

  private(set) var members: [(name: String, value: ArraySlice<UInt8>)] = []
  private var rest: ArraySlice<UInt8>

  init(_ line: [UInt8]) throws(Problem) {
    rest = line[...]
    skipSpace()
    try take("{", expected: "a JSON object, such as {\"kind\": \"deposit\"}")
    skipSpace()
    if rest.first != UInt8(ascii: "}") { try readMembers() }
    try take("}", expected: "a comma or the object's end")
    skipSpace()
    if !rest.isEmpty { throw Problem(description: "something stands behind the object") }
  }

  private mutating func readMembers() throws(Problem) {
    repeat {
      skipSpace()
      let name = String(decoding: try string().dropFirst().dropLast(), as: UTF8.self)
      skipSpace()
      try take(":", expected: "a colon behind \"\(name.prefix(BatchLine.shownCharacters))\"")
      skipSpace()
      let value = try self.value(of: name)
      if members.contains(where: { $0.name == name }) {
        throw Problem(description: "\"\(name.prefix(BatchLine.shownCharacters))\" stands there twice")
      }
      members.append((name, value))
      skipSpace()
    } while takes(",")
  }

  private mutating func value(of name: String) throws(Problem) -> ArraySlice<UInt8> {
    let value =
      switch rest.first {
      case UInt8(ascii: "\""): try string()
      case UInt8(ascii: "{"), UInt8(ascii: "["): try nested()
      default: scalar()
      }
    if value.isEmpty { throw Problem(description: "\"\(name.prefix(BatchLine.shownCharacters))\" has no value") }
    return value
  }

  /// A text with its quotes.
  private mutating func string() throws(Problem) -> ArraySlice<UInt8> {
    guard rest.first == UInt8(ascii: "\"") else { throw Problem(description: "a member's name in quotes is expected") }
    return cut(to: try JSONMembers.endOfString(in: rest))
  }

  /// An object or an array, to the bracket that closes it.
  private mutating func nested() throws(Problem) -> ArraySlice<UInt8> {
    var depth = 0
    var index = rest.startIndex
    while index < rest.endIndex {
      switch rest[index] {
      case UInt8(ascii: "\""):
        index = try JSONMembers.endOfString(in: rest[index...])
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
      if depth == 0 { return cut(to: index) }
    }
    throw Problem(description: "a bracket is not closed")
  }

  /// A number, true, false or null.
  private mutating func scalar() -> ArraySlice<UInt8> {
    let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") || JSONMembers.isSpace($0) }
    return cut(to: end ?? rest.endIndex)
  }

  /// The index behind the closing quote.
  private static func endOfString(in bytes: ArraySlice<UInt8>) throws(Problem) -> Int {
    var index = bytes.startIndex + 1
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index + 1
      default: index += 1
      }
    }
    throw Problem(description: "a text has no closing quote")
  }

  private mutating func cut(to end: Int) -> ArraySlice<UInt8> {
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private mutating func take(_ character: Unicode.Scalar, expected: String) throws(Problem) {
    guard takes(character) else { throw Problem(description: "this is not \(expected)") }
  }

  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skipSpace() {
    rest = rest.drop(while: JSONMembers.isSpace)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }

  /// Whether the bytes are one JSON value.
  static func isValue(_ bytes: some Sequence<UInt8>) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }
}
