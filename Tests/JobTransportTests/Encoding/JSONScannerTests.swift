import Foundation
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("Reading JSON without making values of it")
struct JSONScannerTests {
  private func written(_ bytes: [UInt8]) -> [UInt8]? {
    guard var json = try? JSONScanner(bytes), let value = try? json.written(), (try? json.end()) != nil else {
      return nil
    }
    return value
  }

  private func value(_ bytes: [UInt8]) -> JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) }

  @Test("it takes what a decoder of values takes, and what it took has the same value")
  func againstDecoder() {
    var random = SeededRandom(for: "JSON scanner")
    var (taken, refused) = (0, 0)
    for _ in 0..<4_000 {
      var bytes = random.document(of: random.json(depth: 4))
      if random.chance() { random.damage(&bytes) }
      let (expected, found) = (value(bytes), written(bytes))
      #expect((found == nil) == (expected == nil), "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      if let found { #expect(value(found) == expected) }
      if found == nil { refused += 1 } else { taken += 1 }
    }
    #expect(taken > 1_000 && refused > 500)
  }

  @Test("a text is what a decoder of values makes of it")
  func texts() throws {
    var random = SeededRandom(for: "JSON texts")
    for _ in 0..<1_000 {
      let bytes = random.document(of: .string(random.text()))
      var json = try JSONScanner(bytes)
      #expect(.string(try json.text()) == value(bytes))
      try json.end()
    }
  }

  @Test(
    "what is no JSON is refused",
    arguments: [
      "", " ", "[", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e", "nul", "tru", "\"",
      "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\u{1}\"", "1 2", "[1 2]", "]",
      "NaN",
    ])
  func broken(text: String) { #expect(written(Array(text.utf8)) == nil) }

  @Test("what is not UTF-8 is refused")
  func encoding() {
    #expect(written([0x22, 0xFF, 0x22]) == nil)
    #expect(written(Array("{}".utf16.flatMap { [UInt8($0), 0] })) == nil)
  }

  @Test("numbers stay as they are written", arguments: ["18446744073709551616", "1.10", "-0", "1e400", "0.1e-7"])
  func numbers(text: String) { #expect(written(Array(" \(text)\n".utf8)) == Array(text.utf8)) }

  @Test(
    "a whole number is one however it is written, and none where a digit would be lost",
    arguments: [
      ("7", 7), ("-0", 0), ("7.0", 7), ("7e2", 700), ("-0.00E-5", 0), ("1.25e2", 125), ("-1.25e+2", -125),
      ("700e-2", 7),
      ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807.0", .max), ("-922337203685477580.8e1", .min),
      ("0e999", 0), ("1.5", nil), ("1.25e1", nil), ("7e-1", nil), ("0.99999999999999999999", nil),
      ("9007199254740991.4", nil), ("9223372036854775808.0", nil), ("1e19", nil), ("1e400", nil),
      ("1e99999999999", nil),
    ] as [(String, Int?)])
  func wholeNumbers(text: String, expected: Int?) throws {
    var json = try JSONScanner(Array(text.utf8))
    if let expected {
      #expect(try json.wholeNumber() == expected)
    } else {
      #expect(throws: Unreadable.self) { try json.wholeNumber() }
    }
  }

  @Test("lists and objects lie in each other up to a limit")
  func depth() {
    let nested = { (count: Int) in Array((String(repeating: "[", count: count) + "0").utf8) }
    let closed = { (count: Int) in nested(count) + Array(String(repeating: "]", count: count).utf8) }
    #expect(written(closed(JSONScanner.deepest)) != nil)
    #expect(written(closed(JSONScanner.deepest + 1)) == nil)
    #expect(written(nested(1_000_000)) == nil)
  }
}

extension SeededRandom {
  /// A value as one of the many texts that JSON has for it.
  mutating func document(of value: JSONValue) -> [UInt8] {
    let encoder = JSONEncoder()
    if chance() { encoder.outputFormatting.insert(.prettyPrinted) }
    if chance() { encoder.outputFormatting.insert(.withoutEscapingSlashes) }
    let text = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    let escaped = chance() ? text.replacing("a", with: "\\u0061").replacing("🏦", with: "\\ud83c\\udfe6") : text
    return Array((chance() ? " \t\r\n\(escaped) " : escaped).utf8)
  }

  /// Changes, removes or adds a byte or two. Not so that the decoder of values is at odds with JSON: it takes a comma
  /// after the last element, and no number that it cannot hold, such as 1e400.
  mutating func damage(_ bytes: inout [UInt8]) {
    let whole = bytes
    repeat {
      bytes = whole
      change(&bytes)
    } while String(decoding: bytes, as: UTF8.self).contains(/,\s*[\]}]/)
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let bad = Array("\"\\{}[],:0123.+-tfnu \u{1}é".utf8)
    for _ in 0..<Int.random(in: 1...2, using: &self) where !bytes.isEmpty {
      let place = bytes.indices.randomElement(using: &self) ?? 0
      let byte = bad.randomElement(using: &self) ?? 0
      switch Int.random(in: 0..<3, using: &self) {
      case 0: bytes[place] = byte
      case 1: bytes.remove(at: place)
      default: bytes.insert(byte, at: place)
      }
    }
  }
}
