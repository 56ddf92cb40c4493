/// The tokens of JSON (RFC 8259, in UTF-8), from left to right: space, punctuation, texts, numbers and words.
package struct JSONTokens {
  let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) throws(Unreadable) {
    self.bytes = bytes
    guard String(validating: bytes, as: UTF8.self) != nil else { throw Unreadable("not JSON: it is not UTF-8") }
    if bytes.starts(with: JSONTokens.byteOrderMark) { position = JSONTokens.byteOrderMark.count }
    skipSpace()
  }

  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  var isAtEnd: Bool { position == bytes.count }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  var isAtNumber: Bool { next.map { $0 == UInt8(ascii: "-") || $0.isDigit } ?? false }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Skips the bracket that begins a list or an object.
  mutating func skipBracket() {
    position += 1
    skipSpace()
  }

  mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  func noJSON(_ problem: String) -> Unreadable { Unreadable("not JSON: \(problem), at byte \(position)") }

  mutating func skipScalar() throws(Unreadable) {
    switch next {
    case UInt8(ascii: "\""): _ = try skipText()
    case UInt8(ascii: "t"): try pass("true")
    case UInt8(ascii: "f"): try pass("false")
    case UInt8(ascii: "n"): try pass("null")
    default: try skipNumber()
    }
  }

  private mutating func pass(_ word: StaticString) throws(Unreadable) {
    let count = word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { $0.elementsEqual(bytes[position...].prefix(count)) }
    guard isThere else { throw noJSON("no value") }
    position += count
  }

  private mutating func skipNumber() throws(Unreadable) {
    guard isAtNumber else { throw noJSON("no value") }
    _ = take("-")
    if !take("0") { try skipDigits() }
    if take(".") { try skipDigits() }
    guard take("e") || take("E") else { return }
    if !take("+") { _ = take("-") }
    try skipDigits()
  }

  private mutating func skipDigits() throws(Unreadable) {
    let start = position
    while let byte = next, byte.isDigit { position += 1 }
    if position == start { throw noJSON("a digit is missing") }
  }

  /// Skips a text.
  ///
  /// - Returns: whether it has escapes.
  mutating func skipText() throws(Unreadable) -> Bool {
    position += 1
    var isEscaped = false
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return isEscaped
      case UInt8(ascii: "\\"):
        isEscaped = true
        _ = try readEscape()
      case ..<0x20: throw noJSON("a control character within a text")
      default: position += 1
      }
    }
    throw noJSON("a text without an end")
  }

  mutating func readText() throws(Unreadable) -> String {
    var start = position
    if try !skipText() { return String(decoding: bytes[(start + 1)..<(position - 1)], as: UTF8.self) }
    let end = position
    var text = ""
    position = start + 1
    start = position
    while position < end - 1 {
      guard bytes[position] == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      text += String(decoding: bytes[start..<position], as: UTF8.self)
      text.unicodeScalars.append(try readEscape())
      start = position
    }
    text += String(decoding: bytes[start..<position], as: UTF8.self)
    position = end
    return text
  }

  private mutating func readEscape() throws(Unreadable) -> Unicode.Scalar {
    position += 1
    guard let byte = next else { throw noJSON("a text without an end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readCodePoint()
    default: throw noJSON("an escape that JSON does not know")
    }
  }

  /// Reads a code point of four hex digits, or of two such halves.
  private mutating func readCodePoint() throws(Unreadable) -> Unicode.Scalar {
    let first = try readHex()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(UInt16(first)), take("\\"), take("u") else { throw noJSON("half a character") }
    let second = try readHex()
    guard UTF16.isTrailSurrogate(UInt16(second)),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw noJSON("half a character") }
    return scalar
  }

  private mutating func readHex() throws(Unreadable) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw noJSON("a hex digit is missing")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
