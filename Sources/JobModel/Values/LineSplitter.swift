/// Why a file that people write is no text that can be read.
package enum TextProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case utf16
  /// The line has a byte 0.
  case nul(line: Int)
  case notUTF8(line: Int)
  /// The line has more bytes than it may have.
  case tooLong(line: Int, limit: Int)

  /// What is wrong, and what to do.
  package var description: String {
    switch self {
    case .utf16: "it is UTF-16: save it as UTF-8"
    case .nul: "it has a NUL byte: save it as text, in UTF-8"
    case .notUTF8: "it is not UTF-8: save it as UTF-8"
    case .tooLong(_, let limit): "it has more than \(limit) bytes"
    }
  }
}

extension TextProblem {
  /// The line that cannot be read, from 1.
  package var line: Int {
    switch self {
    case .utf16: 1
    case .nul(let line), .notUTF8(let line), .tooLong(let line, _): line
    }
  }
}

/// Cuts a stream of bytes into numbered lines, holding no more than one line in memory. Whatever editor has written a file,
/// its lines are the same: a line ends with LF, CR LF or CR, a byte-order mark is left out, and the last line needs no end.
/// A file in UTF-16 is refused. All text files that Teller reads, except PEM files, are cut by this.
package struct LineSplitter {
  package enum Line: Equatable {
    case text(number: Int, bytes: [UInt8])
    /// The line cannot be read; its bytes were dropped.
    case unreadable(TextProblem)
  }

  /// The longest line, in bytes: room for the largest payload and the other members.
  package static let defaultLimit = 2 << 20
  private static let lf = UInt8(ascii: "\n")
  private static let cr = UInt8(ascii: "\r")
  /// As many bytes as tell the encoding.
  private static let startLength = 4

  private let limit: Int
  private let keepsEmptyLines: Bool
  private var number = 1
  private var partial: [UInt8] = []
  private var isTooLong = false
  /// The last line was ended by a CR: an LF behind it belongs to it.
  private var isBehindCR = false
  /// The first bytes, while the encoding is not known; nil: it is UTF-8.
  private var start: [UInt8]? = []

  package init(limit: Int = LineSplitter.defaultLimit, keepsEmptyLines: Bool = false) {
    self.limit = limit
    self.keepsEmptyLines = keepsEmptyLines
  }

  /// The lines that end in these bytes. Empty lines are counted, and left out unless they are kept.
  ///
  /// - Throws: `TextProblem.utf16`.
  package mutating func take(_ bytes: some Collection<UInt8>) throws(TextProblem) -> [Line] {
    guard var first = start else { return cut(bytes) }
    first += bytes
    start = first
    return first.count < LineSplitter.startLength ? [] : try begin()
  }

  /// Ends the last line, at the end of the stream.
  ///
  /// - Throws: `TextProblem.utf16`.
  package mutating func finish() throws(TextProblem) -> [Line] {
    let begun = try begin()
    // Behind the end of the last line there is no other one.
    return partial.isEmpty && !isTooLong ? begun : begun + endLine()
  }

  /// Looks at the first bytes, and cuts them.
  private mutating func begin() throws(TextProblem) -> [Line] {
    guard let first = start else { return [] }
    start = nil
    if LineSplitter.isUTF16(first) { throw .utf16 }
    return cut(first.starts(with: [0xEF, 0xBB, 0xBF]) ? first[3...] : first[...])
  }

  /// By its mark, or by a zero in every other byte.
  private static func isUTF16(_ first: [UInt8]) -> Bool {
    if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) { return true }
    return first.count >= startLength && first[0] == 0 && first[1] != 0 && first[2] == 0
      || first.count >= startLength && first[0] != 0 && first[1] == 0 && first[3] == 0
  }

  private mutating func cut(_ bytes: some Collection<UInt8>) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      if isBehindCR, rest.first == LineSplitter.lf { rest = rest.dropFirst() }
      isBehindCR = false
      guard let end = rest.firstIndex(where: { $0 == LineSplitter.lf || $0 == LineSplitter.cr }) else {
        keep(rest)
        break
      }
      keep(rest[..<end])
      lines += endLine()
      isBehindCR = rest[end] == LineSplitter.cr
      rest = rest[rest.index(after: end)...]
    }
    return lines
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    guard !isTooLong else { return }
    if bytes.count > limit - partial.count {
      isTooLong = true
      partial = []
    } else {
      partial.append(contentsOf: bytes)
    }
  }

  private mutating func endLine() -> [Line] {
    defer {
      number += 1
      partial = []
      isTooLong = false
    }
    if isTooLong { return [.unreadable(.tooLong(line: number, limit: limit))] }
    if partial.contains(0) { return [.unreadable(.nul(line: number))] }
    let isEmpty = partial.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return isEmpty && !keepsEmptyLines ? [] : [.text(number: number, bytes: partial)]
  }
}

extension LineSplitter {
  /// The lines of a whole file as texts, the empty ones, too.
  package static func lines(of file: some Collection<UInt8>) throws(TextProblem) -> [String] {
    var splitter = LineSplitter(limit: .max, keepsEmptyLines: true)
    let lines = try splitter.take(file) + splitter.finish()
    var texts: [String] = []
    for line in lines {
      switch line {
      case .unreadable(let problem): throw problem
      case .text(let number, let bytes):
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8(line: number) }
        texts.append(text)
      }
    }
    return texts
  }
}
