/// Reads JSON (RFC 8259, in UTF-8) from left to right. It checks all of the text, and makes values only of the parts that
/// are asked for. Other parts stay as they are written: so no number in them changes, and they cost little.
///
/// What it takes is what all of Teller takes for JSON. A member that is read by its name must be there once: readers differ
/// in which of two counts, so neither does.
package struct JSONScanner {
  /// How deep lists and objects may be nested.
  package static let deepest = 512

  private var tokens: JSONTokens
  private var depth: Int
  /// The place of the value that is being read, as in `steps[2].rank`.
  private var path: [Place] = []

  private enum Place {
    case member(String)
    case index(Int)
  }

  /// `levels`: within how many lists and objects the text will stand.
  package init(_ bytes: [UInt8], within levels: Int = 0) throws(Unreadable) {
    tokens = try JSONTokens(bytes)
    depth = levels
  }

  package var isAtObject: Bool { tokens.next == UInt8(ascii: "{") }

  var isAtList: Bool { tokens.next == UInt8(ascii: "[") }

  /// - Throws: when anything follows the value that was read.
  package mutating func end() throws(Unreadable) {
    if !tokens.isAtEnd { throw tokens.noJSON("more follows its end") }
  }

  /// Reads an object; `read` has to read or to skip the value of each member.
  package mutating func object(_ read: (String, inout JSONScanner) throws(Unreadable) -> Void) throws(Unreadable) {
    guard isAtObject else { throw try unexpected("an object") }
    var names: Set<ExactText> = []
    try enclosed(by: "}") { json throws(Unreadable) in
      let name = try json.readName()
      guard names.insert(ExactText(name)).inserted else {
        throw Unreadable("\(Excerpt.quoted(name)) stands twice\(json.place)")
      }
      json.path.append(.member(name))
      try read(name, &json)
      json.path.removeLast()
    }
  }

  /// Reads a list; `read` has to read or to skip each element.
  package mutating func list(_ read: (inout JSONScanner) throws(Unreadable) -> Void) throws(Unreadable) {
    guard isAtList else { throw try unexpected("a list") }
    var index = 0
    try enclosed(by: "]") { json throws(Unreadable) in
      json.path.append(.index(index))
      try read(&json)
      json.path.removeLast()
      index += 1
    }
  }

  package mutating func text() throws(Unreadable) -> String {
    guard tokens.next == UInt8(ascii: "\"") else { throw try unexpected("a text") }
    let text = try tokens.readText()
    tokens.skipSpace()
    return text
  }

  package mutating func wholeNumber() throws(Unreadable) -> Int {
    guard tokens.isAtNumber else { throw try unexpected("a whole number") }
    let text = String(decoding: tokens.bytes[try skip()], as: UTF8.self)
    guard let number = Int(text) ?? Int(exactlyWritten: text) else {
      throw Unreadable("not a whole number\(place)")
    }
    return number
  }

  /// Whether the value is null; then it is skipped.
  package mutating func null() throws(Unreadable) -> Bool {
    guard tokens.next == UInt8(ascii: "n") else { return false }
    _ = try skip()
    return true
  }

  /// Skips any value. `onText`: is called with the place of each text that is a value, and no member's name.
  ///
  /// - Returns: the value's bytes as a range, without the space around it.
  @discardableResult
  package mutating func skip(onText: ((Range<Int>) -> Void)? = nil) throws(Unreadable) -> Range<Int> {
    let start = tokens.position
    switch tokens.next {
    case UInt8(ascii: "{"):
      let end = try enclosed(by: "}") { json throws(Unreadable) in
        try json.skipName()
        try json.skip(onText: onText)
      }
      return start..<end
    case UInt8(ascii: "["):
      return start..<(try enclosed(by: "]") { json throws(Unreadable) in try json.skip(onText: onText) })
    default:
      let isText = tokens.next == UInt8(ascii: "\"")
      try tokens.skipScalar()
      let end = tokens.position
      if isText { onText?(start..<end) }
      tokens.skipSpace()
      return start..<end
    }
  }

  /// Skips any value, and returns its bytes.
  package mutating func written() throws(Unreadable) -> [UInt8] { Array(tokens.bytes[try skip()]) }

  /// As in " at steps[2].rank".
  package var place: String {
    if path.isEmpty { return "" }
    return " at "
      + path.enumerated().map { offset, place in
        switch place {
        case .index(let index): "[\(index)]"
        case .member(let name): offset == 0 ? Excerpt.plain(name) : ".\(Excerpt.plain(name))"
        }
      }.joined()
  }
}

extension JSONScanner {
  /// Skips an object or a list, and any other value.
  ///
  /// - Returns: the place of the member with that name, or of the list's element with that index; nil: there is none.
  /// - Throws: also when the name stands twice.
  package mutating func skip(finding name: String) throws(Unreadable) -> Range<Int>? {
    var found: Range<Int>?
    switch tokens.next {
    case UInt8(ascii: "{"):
      try enclosed(by: "}") { json throws(Unreadable) in
        let isMeant = ExactText(try json.readName()) == ExactText(name)
        let value = try json.skip()
        if isMeant, found != nil { throw Unreadable("\(Excerpt.quoted(name)) stands twice") }
        if isMeant { found = value }
      }
    case UInt8(ascii: "["):
      var index = 0
      try enclosed(by: "]") { json throws(Unreadable) in
        let value = try json.skip()
        if String(index) == name { found = value }
        index += 1
      }
    default: try skip()
    }
    return found
  }

  /// Reads the elements of a list or an object, with commas between them.
  ///
  /// - Returns: the position of its end.
  @discardableResult
  private mutating func enclosed(
    by closing: Unicode.Scalar, _ element: (inout JSONScanner) throws(Unreadable) -> Void
  ) throws(Unreadable) -> Int {
    depth += 1
    guard depth <= JSONScanner.deepest else { throw tokens.noJSON("more than \(JSONScanner.deepest) levels") }
    tokens.skipBracket()
    if !tokens.take(closing) {
      repeat {
        tokens.skipSpace()
        try element(&self)
      } while tokens.take(",")
      guard tokens.take(closing) else { throw tokens.noJSON("\"\(closing)\" or \",\" is missing") }
    }
    depth -= 1
    let end = tokens.position
    tokens.skipSpace()
    return end
  }

  private mutating func readName() throws(Unreadable) -> String {
    guard tokens.next == UInt8(ascii: "\"") else { throw tokens.noJSON("a member's name is missing") }
    let name = try tokens.readText()
    try passColon()
    return name
  }

  private mutating func skipName() throws(Unreadable) {
    guard tokens.next == UInt8(ascii: "\"") else { throw tokens.noJSON("a member's name is missing") }
    _ = try tokens.skipText()
    try passColon()
  }

  private mutating func passColon() throws(Unreadable) {
    tokens.skipSpace()
    guard tokens.take(":") else { throw tokens.noJSON("\":\" is missing") }
    tokens.skipSpace()
  }

  /// The error for another value than the expected one.
  private mutating func unexpected(_ expected: String) throws(Unreadable) -> Unreadable {
    let place = place
    let isNull = tokens.next == UInt8(ascii: "n")
    try skip()
    return Unreadable(isNull ? "null instead of \(expected)\(place)" : "not \(expected)\(place)")
  }
}

extension Int {
  /// The most digits that a whole number may have.
  private static let mostDigits = 19

  /// The value of a number of JSON, if it is whole and fits: `7.0`, `7e2`. No digit is rounded away.
  fileprivate init?(exactlyWritten text: String) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).lowercased().split(separator: "e")
    let number = parts[0].split(separator: ".")
    guard let exponent = parts.count == 1 ? 0 : Int(parts[1]), exponent.magnitude <= 1_000 else { return nil }
    var digits = Array(number.joined())
    let shift = exponent - (number.count == 1 ? 0 : number[1].count)
    for _ in 0..<Swift.max(0, -shift) {
      guard digits.popLast() ?? "0" == "0" else { return nil }
    }
    digits += repeatElement("0", count: Swift.max(0, shift))
    let significant = digits.drop { $0 == "0" }
    guard significant.count <= Int.mostDigits else { return nil }
    self.init((isNegative ? "-" : "") + (significant.isEmpty ? "0" : String(significant)))
  }
}
