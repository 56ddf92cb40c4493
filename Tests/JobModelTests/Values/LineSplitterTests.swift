import JobModel
import TestSupport
import Testing

@Suite("Cutting a stream into lines")
struct LineSplitterTests {
  @Test("lines are numbered from 1, empty ones are counted and left out, the last needs no newline")
  func numbers() throws {
    var splitter = LineSplitter()
    var lines = try splitter.take(Array("a\n\n  \nb\r\nc\rd".utf8))
    lines += try splitter.finish()
    #expect(lines == [line(1, "a"), line(4, "b"), line(5, "c"), line(6, "d")])
  }

  @Test("a line that is too long is reported with its number, and the next one is read")
  func tooLong() throws {
    var splitter = LineSplitter(limit: 3)
    var lines = try splitter.take(Array("abc\nab".utf8))
    lines += try splitter.take(Array("cd".utf8))
    lines += try splitter.take(Array("e\nxyz".utf8))
    lines += try splitter.finish()
    #expect(lines == [line(1, "abc"), .unreadable(.tooLong(line: 2, limit: 3)), line(3, "xyz")])
  }

  @Test("however the bytes are portioned, the lines are the same")
  func portions() throws {
    var random = SeededRandom(for: "portions of a stream")
    let ends = ["\n", "\r\n", "\r", "\r\r\n"]
    var text = "\u{FEFF}"
    for _ in 0..<200 {
      text += String(repeating: "x", count: Int.random(in: 0...5, using: &random))
      text += ends.randomElement(using: &random) ?? ""
    }
    let bytes = Array(text.utf8)
    for keeps in [false, true] {
      var whole = LineSplitter(keepsEmptyLines: keeps)
      let expected = try whole.take(bytes) + whole.finish()
      for _ in 0..<50 {
        var splitter = LineSplitter(keepsEmptyLines: keeps)
        var lines: [LineSplitter.Line] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let portion = rest.prefix(Int.random(in: 1...40, using: &random))
          lines += try splitter.take(portion)
          rest = rest.dropFirst(portion.count)
        }
        lines += try splitter.finish()
        #expect(lines == expected)
      }
    }
  }

  @Test("whatever editor has saved them, the lines are the same", arguments: Editor.allCases)
  func editors(editor: Editor) throws {
    var splitter = LineSplitter()
    var lines = try splitter.take(editor.save(["one", "zwölf"])) + splitter.finish()
    if editor == .remarkFirst { lines.removeFirst() }
    let texts = lines.map { line in
      guard case .text(_, let bytes) = line else { return "" }
      return String(decoding: bytes, as: UTF8.self).trimmed
    }
    #expect(texts == ["one", "zwölf"])
  }

  @Test("a file that is no text in UTF-8 is refused, and the reason names what it is")
  func refused() {
    for (bytes, reason) in Editor.refused(["one", "two"]) {
      let problem = #expect(throws: TextProblem.self) { try LineSplitter.lines(of: bytes) }
      #expect(problem?.description.contains(reason) == true)
    }
    #expect(throws: TextProblem.notUTF8(line: 2)) { try LineSplitter.lines(of: Array("a\n".utf8) + [0xC3, 0x28]) }
    #expect(throws: TextProblem.nul(line: 1)) { try LineSplitter.lines(of: [0, 97, 98, 99]) }
  }

  @Test("a file of less bytes than tell its encoding is read, too")
  func short() throws {
    for text in ["", "a", "a\n", "\n", "ab", "abc"] {
      #expect(try LineSplitter.lines(of: Array(text.utf8)) == (text.isEmpty ? [] : [text == "\n" ? "" : text.trimmed]))
    }
    #expect(try LineSplitter.lines(of: [0xEF, 0xBB, 0xBF]) == [])
  }

  private func line(_ number: Int, _ text: String) -> LineSplitter.Line {
    .text(number: number, bytes: Array(text.utf8))
  }
}

extension String {
  fileprivate var trimmed: String { String(split(whereSeparator: \.isWhitespace).first ?? "") }
}
