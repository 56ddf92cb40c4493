import Foundation
import TestSupport
import Testing

@testable import JobModel

@Suite("JSON as it is written")
struct JSONTextTests {
  private func json(_ text: String) throws -> JSONText { try JSONText(Array(text.utf8)) }
  private func written(_ value: JSONText?) -> String? { value.map { String(decoding: $0.bytes, as: UTF8.self) } }

  @Test(
    "a part is taken as it is written: digits, order, repetition, space, escapes",
    arguments: [
      ("n", "18446744073709551615"), ("p", "1.10"), ("big", "1e400"), ("zero", "-0"), ("deep.0.x", "1.0"),
      ("o", #"{ "b":1, "a" : [ ] ,"b":2.50 }"#), ("t", #""\u0041\/é""#), ("no", "null"), ("a.b", nil), ("deep.1", nil),
      ("deep.00", nil), ("n.x", nil), ("no.x", nil), ("esc", "7"), ("e\u{301}", "1"), ("\u{E9}", "2"),
    ] as [(String, String?)])
  func parts(path: String, value: String?) throws {
    let text = """
       {"n": 18446744073709551615 ,"p":1.10, "big":1e400,"zero":-0,"deep":[{"x":1.0}],
        "o":{ "b":1, "a" : [ ] ,"b":2.50 }, "t":"\\u0041\\/é","no":null,"\\u0065sc":7,"e\u{301}":1,"\u{E9}":2}
      """
    let found = try json(text).member(
      at: path.utf8.split(separator: UInt8(ascii: ".")).map { String(decoding: $0, as: UTF8.self) })
    #expect(written(found)?.utf8.elementsEqual((value ?? "").utf8) == (value == nil ? nil : true))
  }

  @Test("which of two members with one name is meant is not known; two within a value that is taken do no harm")
  func twice() throws {
    let value = try json(#"{"a": 1, "\u0061": 2, "b": {"c": 1, "c": 2}}"#)
    #expect(throws: Unreadable.self) { try value.member(at: ["a"]) }
    #expect(throws: Unreadable.self) { try value.member(at: ["b", "c"]) }
    #expect(written(try value.member(at: ["b"])) == #"{"c": 1, "c": 2}"#)
    #expect(throws: Unreadable.self) { try JSONText.members(of: value.bytes) }
  }

  @Test(
    "what is no JSON is none anywhere in Teller, with the reason",
    arguments: [
      (#""\ud800""#, "half a character"), ("\"\t\"", "control character"), ("\"\0\"", "control character"),
      (String(repeating: "[", count: 513) + String(repeating: "]", count: 513), "more than 512 levels"),
      ("1 2", "more follows"), ("[1,]", "no value"), ("", "no value"), ("01", "more follows"), ("NaN", "no value"),
    ])
  func refused(text: String, reason: String) throws {
    #expect(JSONText.flaw(of: Array(text.utf8))?.contains(reason) == true)
    #expect(throws: Unreadable.self) { try JSONText.decode(JSONValue.self, from: Data(text.utf8)) }
  }

  @Test("a decoder of a type takes no member twice, at any depth")
  func decoded() throws {
    for text in [#"{"a":1,"a":1}"#, #"[{"b":{"a":1,"\u0061":1}}]"#] {
      #expect(throws: Unreadable.self) { try JSONText.decode(JSONValue.self, from: Data(text.utf8)) }
    }
    #expect(try JSONText.decode([Int].self, from: Data(" [1] ".utf8)) == [1])
  }

  @Test("a text is written so that it is read again, and nothing is escaped without need")
  func quoted() throws {
    var random = SeededRandom(for: "quoted texts")
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0x2FFF), using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      #expect(JSONText(text).text?.isExactly(text) == true, "\(text.debugDescription)")
      #expect(try JSONDecoder().decode(String.self, from: Data(JSONText(text).bytes)).isExactly(text))
    }
    #expect(written(JSONText("é/\u{202E}")) == "\"é/\u{202E}\"")
  }
}
