import JobModel

/// Reads payloads that a handler takes as any JSON. `JSONDecoder` can only try one type after the other for each value, and
/// makes an error of every miss, which costs more than everything else a short job needs.
///
/// What is rare (escapes, fractions, names that occur twice, deep nesting) or wrong is left to `JSONDecoder`: so both say
/// the same, and only one says what is wrong.
struct PlainJSON {
  private let bytes: [UInt8]
  private var position = 0
  /// How deep values may stand in each other here.
  private static let deepest = 32
  /// Fewer digits than this fit into 64 bits, whatever they are.
  private static let digitLimit = 19

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value that the bytes are; nil: they are not plain, or not JSON.
  static func value(of bytes: [UInt8]) -> JSONValue? {
    var reader = PlainJSON(bytes)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == bytes.count ? value : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Whether that comes next; it is read then.
  private mutating func skips(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    skipSpace()
    guard depth < PlainJSON.deepest, let byte = next else { return nil }
    switch byte {
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return integer()
    }
  }

  private mutating func string() -> String? {
    guard skips("\"") else { return nil }
    let start = position
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte < 0x20 || byte == UInt8(ascii: "\\") { return nil }
      position += 1
    }
    let text = bytes[start..<position]
    return skips("\"") ? String(validating: text, as: UTF8.self) : nil
  }

  private mutating func object(_ depth: Int) -> JSONValue? {
    var members: [String: JSONValue] = [:]
    guard skips("{") else { return nil }
    if skips("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), skips(":"), let value = value(depth: depth + 1),
        members.updateValue(value, forKey: name) == nil
      else { return nil }
    } while skips(",")
    return skips("}") ? .object(members) : nil
  }

  private mutating func array(_ depth: Int) -> JSONValue? {
    var values: [JSONValue] = []
    guard skips("[") else { return nil }
    if skips("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while skips(",")
    return skips("]") ? .array(values) : nil
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else { return nil }
    position = end
    return value
  }

  private mutating func integer() -> JSONValue? {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    var number: Int64 = 0
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      guard position - start + 1 < PlainJSON.digitLimit else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      position += 1
    }
    // No digits, a zero in front of others, or "-0": whatever that is.
    guard position > start, bytes[start] != UInt8(ascii: "0") || (position == start + 1 && !isNegative) else {
      return nil
    }
    // A fraction or an exponent behind it stops whoever expects a comma, a bracket or the end here.
    return .int(isNegative ? -number : number)
  }
}
