import TestSupport
import Testing

@testable import TellerCLI

@Suite("Cutting a stream into lines")
struct LineSplitterTests {
  @Test("lines are numbered from 1, empty ones are counted and left out, the last needs no newline")
  func numbers() {
    var splitter = LineSplitter()
    var lines = splitter.take(Array("a\n\n  \nb\r\nc".utf8))
    lines += splitter.finish()
    #expect(lines == [line(1, "a"), line(4, "b"), line(5, "c")])
  }

  @Test("a line that is too long is reported with its number, and the next one is read")
  func tooLong() {
    var splitter = LineSplitter(limit: 3)
    var lines = splitter.take(Array("abc\nab".utf8))
    lines += splitter.take(Array("cd".utf8))
    lines += splitter.take(Array("e\nxyz".utf8))
    lines += splitter.finish()
    #expect(lines == [line(1, "abc"), .tooLong(number: 2), line(3, "xyz")])
  }

  @Test("however the bytes are portioned, the lines are the same")
  func portions() {
    var random = SeededRandom(for: "portions of a stream")
    let text = (0..<200).map { _ in String(repeating: "x", count: Int.random(in: 0...5, using: &random)) }
    let bytes = Array(text.joined(separator: "\n").utf8)
    var whole = LineSplitter()
    let expected = whole.take(bytes) + whole.finish()
    for _ in 0..<50 {
      var splitter = LineSplitter()
      var lines: [LineSplitter.Line] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let portion = rest.prefix(Int.random(in: 1...40, using: &random))
        lines += splitter.take(portion)
        rest = rest.dropFirst(portion.count)
      }
      lines += splitter.finish()
      #expect(lines == expected)
    }
  }

  private func line(_ number: Int, _ text: String) -> LineSplitter.Line {
    .text(number: number, bytes: Array(text.utf8))
  }
}
