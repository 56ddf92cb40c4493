/// A JSON value as it is written: its bytes, without the space around it. Two values are equal only if their bytes are.
///
/// Teller carries the values of other programs in this form, and takes parts out of them as slices. A number never becomes a
/// `Double`, and a member never another one: `18446744073709551615`, `1.10`, the order and the repetition of members stay.
package struct JSONText: Hashable, Sendable {
  package let bytes: [UInt8]

  private init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// A value from outside.
  ///
  /// - Throws: when it is not one value of JSON.
  package init(_ bytes: [UInt8]) throws(Unreadable) {
    var json = try JSONScanner(bytes)
    self.bytes = try json.written()
    try json.end()
  }

  /// A text.
  package init(_ text: String) { bytes = JSONText.quoted(text.utf8) }
  /// A number.
  package init(_ number: Int) { bytes = Array(String(number).utf8) }
  package static let null = JSONText(trusted: Array("null".utf8))
  package var isNull: Bool { self == .null }

  /// What is wrong with bytes that should be one value, for people; nil: nothing.
  package static func flaw(of bytes: [UInt8]) -> String? {
    do throws(Unreadable) {
      _ = try JSONText(bytes)
      return nil
    } catch {
      return error.reason
    }
  }

  /// The value's text, without its quotes and escapes; nil when it is no text.
  package var text: String? { JSONText.text(of: bytes[...]) }

  /// The same of a value that was read before.
  static func text(of bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first == UInt8(ascii: "\""), var json = try? JSONScanner(Array(bytes)) else { return nil }
    return try? json.text()
  }

  private var isText: Bool { bytes.first == UInt8(ascii: "\"") }

  /// The members of an object. Each may lie as deep as a value may that stands alone.
  ///
  /// - Throws: when it is no object, or a member stands twice.
  package static func members(of object: [UInt8]) throws(Unreadable) -> [ExactText: JSONText] {
    var members: [ExactText: JSONText] = [:]
    var json = try JSONScanner(object, within: -1)
    try json.object { name, json throws(Unreadable) in
      members[ExactText(name)] = JSONText(trusted: try json.written())
    }
    try json.end()
    return members
  }

  /// The elements of a list of texts; nil when it is none.
  package var texts: [String]? {
    var texts: [String] = []
    guard var json = try? JSONScanner(bytes) else { return nil }
    do throws(Unreadable) {
      try json.list { json throws(Unreadable) in texts.append(try json.text()) }
      return texts
    } catch {
      return nil
    }
  }

  /// The member at a path, of a list the element with that index; nil: there is none.
  ///
  /// - Throws: when a name of the path stands twice: it is not known which value is meant.
  package func member(at path: [String]) throws(Unreadable) -> JSONText? {
    var value = self
    for name in path {
      var json = try JSONScanner(value.bytes)
      guard let range = try json.skip(finding: name) else { return nil }
      value = JSONText(trusted: Array(value.bytes[range]))
    }
    return value
  }

  /// The value within a longer text of JSON, as it stands between the quotes: a text as it is written, any other value as JSON.
  package var inText: ArraySlice<UInt8> {
    (isText ? bytes : JSONText.quoted(bytes)).dropFirst().dropLast()
  }

  /// A text as JSON. All that need not be escaped stays as it is.
  package static func quoted(_ text: some Sequence<UInt8>) -> [UInt8] {
    var json = [UInt8(ascii: "\"")]
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): json += Array(#"\n"#.utf8)
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        json += Array(#"\u"#.utf8) + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        json += Array(digits.utf8)
      default: json.append(byte)
      }
    }
    return json + [UInt8(ascii: "\"")]
  }
}
