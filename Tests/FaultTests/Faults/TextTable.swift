/// A table as text: the columns stand below each other.
enum TextTable {
  /// The first line is the head; all have as many cells.
  static func text(_ lines: [[String]]) -> String {
    let columns = lines.first?.indices ?? 0..<0
    let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        .joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }
}
