import Foundation
import JobModel
import Testing
import TestSupport

@testable import Teller

@Suite("Payloads that are plain JSON")
struct PlainJSONTests {
  private func decoded(_ text: String) -> JSONValue? {
    try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test(
    "what is plain is read as JSONDecoder reads it",
    arguments: [
      #"{"a":"x"}"#, " {\n\t\"a\" : [ 1 , -2 , true,false, null ] , \"b\":{} }\r\n", "[]", "[[],[{}]]", #""ä€😀""#, "0",
      "12",
      "-9223372036854775", "999999999999999999", "null", "true", "false", #"{"":""}"#,
    ])
  func plain(text: String) throws {
    let value = try #require(PlainJSON.value(of: Array(text.utf8)))
    #expect(value == decoded(text))
  }

  @Test(
    "what is rare or wrong is left to JSONDecoder",
    arguments: [
      "", " ", "{", "}", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1,"a":2}"#, "{a:1}", "01", "-",
      "-0", "-01",
      "1.5", "1.0", "1e3", "+1", "9223372036854775808", "tru", "truee", "nul", #""a"#, "\"\u{1}\"", #""\n""#,
      #""\u0041""#, "1 1",
      "[] []", "\u{FEFF}1", String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ])
  func rare(text: String) {
    #expect(PlainJSON.value(of: Array(text.utf8)) == nil)
  }

  @Test("bytes that are not UTF-8 are left to JSONDecoder")
  func notUTF8() {
    #expect(PlainJSON.value(of: [0x22, 0xFF, 0x22]) == nil)
    #expect(PlainJSON.value(of: [0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
  }

  @Test("whatever text it reads, JSONDecoder reads the same")
  func random() {
    var random = SeededRandom(for: "plain JSON")
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-", "0", ".", "e", "true", "null", " ", "\\", "\"",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      guard let value = PlainJSON.value(of: Array(text.utf8)) else { continue }
      #expect(value == decoded(text), "\(text), seed \(random.seed)")
    }
  }
}
