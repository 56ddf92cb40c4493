import JobModel
import Testing

@testable import JobTransport

@Suite("Texts of messages")
struct UTF8TextTests {
  @Test(
    "what is UTF-8 is a text",
    arguments: ["", "noop", "größer", "中文", "🏦", "a\u{0}b", "\u{FFFD}", "e\u{301}"])
  func text(_ text: String) {
    #expect(String(utf8: Array(text.utf8)[...]).map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test(
    "what is not UTF-8 is no text",
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x61, 0xFF, 0x62],
    ] as [[UInt8]])
  func noText(_ bytes: [UInt8]) {
    #expect(String(utf8: bytes[...]) == nil)
  }

  @Test("a part of a message is read, and no more of it")
  func slice() {
    #expect(String(utf8: Array("one two three".utf8)[4..<7]) == "two")
    let bytes = Array("a größer b".utf8)
    #expect(String(utf8: bytes[2..<10]) == "größer")
    #expect(String(utf8: bytes[2..<5]) == nil, "cut in the middle of a character")
  }
}
