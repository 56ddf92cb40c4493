import JobModel
import Testing

@testable import JobTransport

@Suite("Lines of packs")
struct PackCursorTests {
  @Test(
    "words stand between single spaces, and may be empty",
    arguments: [
      ("a bc d\n", ["a", "bc", "d"]), (" a \n", ["", "a", ""]), ("  \n", ["", "", ""]), ("ä ö ü\n", ["ä", "ö", "ü"]),
    ])
  func words(_ line: String, _ expected: [String]) throws {
    var cursor = PackCursor(Array(line.utf8))
    #expect(try cursor.readWords(3).map { String(decoding: $0, as: UTF8.self) } == expected)
    #expect(cursor.isAtEnd)
  }

  @Test("each line is read where the one before has ended, with the bytes that follow it")
  func position() throws {
    var cursor = PackCursor(Array("3 x\nabc0 y\n".utf8))
    #expect(try cursor.readWords(2).map(Array.init) == [Array("3".utf8), Array("x".utf8)])
    #expect(try Array(cursor.take(3)) == Array("abc".utf8))
    #expect(try cursor.readWords(2).map(Array.init) == [Array("0".utf8), Array("y".utf8)])
    #expect(cursor.isAtEnd)
  }

  @Test(
    "another number of words, or no end of the line, is said, and nothing is read",
    arguments: [
      ("a b\n", "its line has 2 words, not 3"), ("a b c d\n", "its line has 4 words, not 3"),
      ("\n", "its line has 1 words, not 3"), ("a b c", "its line does not end"),
      (String(repeating: "x", count: 600) + " b c\n", "its line does not end"),
    ])
  func malformed(_ line: String, _ reason: String) {
    var cursor = PackCursor(Array(line.utf8))
    let error = #expect(throws: Unreadable.self) { try cursor.readWords(3) }
    #expect(error?.reason == reason)
    #expect(cursor.position == 0)
  }
}
