import TestSupport

/// A text of SQL in the sources of the ledger, or a part of one: what stands between its interpolations.
package struct SQLText: Hashable, Sendable {
  /// Below the folder of the sources.
  package let file: String
  package let fragments: [String]
  /// The whole, on one line.
  package let text: String

  /// What stands for an interpolation in ``text``.
  package static let hole = "…"

  private init(file: String, fragments: [String]) {
    (self.file, self.fragments) = (file, fragments)
    text = SQLText.words(fragments.joined(separator: SQLText.hole))
  }

  /// Those of the ledger, without its schema.
  package static func all() throws -> [SQLText] { try texts.get() }

  private static let texts = Result { try read() }

  private static func read() throws -> [SQLText] {
    try SourceFile.all(in: "Sources/Ledger").filter { !$0.path.hasPrefix("Schema/") }.flatMap { file in
      var scanner = LiteralScanner(file.lines.joined(separator: "\n"))
      return scanner.literals().map { SQLText(file: file.path, fragments: $0) }
    }.filter { $0.isStatement || $0.text.contains("LIMIT ") }
  }

  package var isStatement: Bool {
    ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "].contains { text.hasPrefix($0) }
  }

  package var isWrite: Bool { isStatement && !text.hasPrefix("SELECT ") && !text.hasPrefix("WITH ") }

  /// Whether a statement that has run may be of this text: it has all its fragments, in their order.
  package func mayBe(_ statement: String) -> Bool {
    var rest = SQLText.words(statement)[...]
    for fragment in fragments.map(SQLText.words) where !fragment.isEmpty {
      guard let found = rest.firstRange(of: fragment) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }

  /// By bytes, as everything here: by characters a debug build takes a minute.
  private static func words(_ text: String) -> String {
    text.utf8.split { [0x20, 0x0A].contains($0) }.map { String(Substring($0)) }.joined(separator: " ")
  }
}

/// Finds the string literals of Swift text that has no comments.
private struct LiteralScanner {
  private let text: [UInt8]
  private var position = 0

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  init(_ text: String) { self.text = Array(text.utf8) }

  /// Each as what stands between its interpolations.
  mutating func literals() -> [[String]] {
    var found: [[String]] = []
    while position < text.count {
      if text[position] == Self.quote { found.append(literal()) } else { position += 1 }
    }
    return found
  }

  private mutating func take(_ wanted: String) -> Bool {
    let end = position + wanted.utf8.count
    guard end <= text.count, text[position..<end].elementsEqual(wanted.utf8) else { return false }
    position = end
    return true
  }

  private mutating func literal() -> [String] {
    let quotes = take("\"\"\"") ? "\"\"\"" : "\""
    if quotes.utf8.count == 1 { position += 1 }
    var fragments: [[UInt8]] = [[]]
    while position < text.count, !take(quotes) {
      if take("\\(") {
        skipInterpolation()
        fragments.append([])
      } else {
        if text[position] == Self.backslash { position += 1 }
        if position < text.count { fragments[fragments.count - 1].append(text[position]) }
        position += 1
      }
    }
    return fragments.map { String(decoding: $0, as: UTF8.self) }
  }

  private mutating func skipInterpolation() {
    var depth = 1
    while depth > 0, position < text.count {
      if text[position] == Self.quote {
        _ = literal()
      } else {
        if text[position] == UInt8(ascii: "(") { depth += 1 }
        if text[position] == UInt8(ascii: ")") { depth -= 1 }
        position += 1
      }
    }
  }
}
