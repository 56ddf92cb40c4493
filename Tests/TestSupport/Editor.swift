/// How editors save the same lines of text.
package enum Editor: String, CaseIterable, Sendable {
  case plain, crlf, crOnly, mark, markAndCRLF, noLastEnd, manyLastEnds, spacesBehindLines, tabsBehindLines, blankFirst
  /// A remark before all else. JSON and PEM files have no remarks in general.
  case remarkFirst

  /// The bytes of a file with these lines.
  package func save(_ lines: [String]) -> [UInt8] {
    let text: String =
      switch self {
      case .plain: lines.map { $0 + "\n" }.joined()
      case .crlf: lines.map { $0 + "\r\n" }.joined()
      case .crOnly: lines.map { $0 + "\r" }.joined()
      case .mark: "\u{FEFF}" + lines.map { $0 + "\n" }.joined()
      case .markAndCRLF: "\u{FEFF}" + lines.map { $0 + "\r\n" }.joined()
      case .noLastEnd: lines.joined(separator: "\n")
      case .manyLastEnds: lines.map { $0 + "\n" }.joined() + "\n\n \n"
      case .spacesBehindLines: lines.map { $0 + "  \n" }.joined()
      case .tabsBehindLines: lines.map { $0 + "\t\n" }.joined()
      case .blankFirst: "\n\r\n" + lines.map { $0 + "\n" }.joined()
      case .remarkFirst: "# saved by hand\r\n" + lines.map { $0 + "\r\n" }.joined()
      }
    return Array(text.utf8)
  }

  /// Files that no editor saves as UTF-8 text: each is refused, with a part of the reason.
  package static func refused(_ lines: [String]) -> [(bytes: [UInt8], reason: String)] {
    let text = lines.map { $0 + "\r\n" }.joined()
    let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    return [
      ([0xFF, 0xFE] + little, "UTF-16"), ([0xFE, 0xFF] + big, "UTF-16"), (little, "UTF-16"), (big, "UTF-16"),
      (Array(text.utf8) + [UInt8(ascii: "x"), 0], "NUL"),
    ]
  }
}
