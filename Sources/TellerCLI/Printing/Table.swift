/// Rows and columns for people; in a pipe with tabs between the columns.
struct Table {
  /// The space between two columns on a terminal.
  static let gap = 2

  let header: [String]
  private(set) var rows: [[String]] = []

  init(_ header: String...) {
    self.header = header
  }

  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.onOneLine)) }

  /// The lines to print. `width`: the terminal's columns; the table is aligned, has its header, and no line is wider.
  /// Nil: only the rows, whole, with tabs.
  func lines(width: Int?) -> [String] { lines(width: width, columns: widths(atLeast: [])) }

  /// The same with columns of that width.
  func lines(width: Int?, columns: [Int]) -> [String] {
    guard let width else { return rows.map { $0.joined(separator: "\t") } }
    return ([header] + rows).map { line($0, widths: columns, width: width) }
  }

  /// How wide each column has to be.
  func widths(atLeast earlier: [Int]) -> [Int] {
    header.indices.map { column in
      let cells = ([header] + rows).map { column < $0.count ? $0[column].count : 0 }
      return (cells + (column < earlier.count ? [earlier[column]] : [])).max() ?? 0
    }
  }

  private func line(_ cells: [String], widths: [Int], width: Int) -> String {
    var text = ""
    for (cell, columnWidth) in zip(cells.dropLast(), widths) {
      text += cell + String(repeating: " ", count: columnWidth - cell.count + Table.gap)
    }
    text += cells.last ?? ""
    return text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }
}

/// A long table that is printed in portions, with one header and columns that never become narrower.
struct GrowingTable {
  private var widths: [Int] = []

  /// The lines of the next portion.
  mutating func lines(_ table: Table, width: Int?) -> [String] {
    let isFirst = widths.isEmpty
    widths = table.widths(atLeast: widths)
    let lines = table.lines(width: width, columns: widths)
    return isFirst || width == nil ? lines : Array(lines.dropFirst())
  }
}
