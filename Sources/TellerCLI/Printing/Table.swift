import JobModel

/// Rows and columns for people; in a pipe with tabs between the columns.
struct Table {
  /// The space between two columns on a terminal.
  static let gap = 2

  let header: [String]
  private(set) var rows: [[String]] = []
  private let colors: Colors

  init(_ header: String..., colors: Colors = .output) {
    (self.header, self.colors) = (header, colors)
  }

  mutating func add(_ cells: String...) { add(cells) }

  /// Adds a row. `styles`: the meanings of some cells, by the number of the column from 0.
  mutating func add(_ cells: [String], styles: [Int: Style] = [:]) {
    rows.append(cells.enumerated().map { colors.paint($1.onOneLine, styles[$0]) })
  }

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
      let cells = ([header] + rows).map { column < $0.count ? VisibleText.width($0[column]) : 0 }
      return (cells + (column < earlier.count ? [earlier[column]] : [])).max() ?? 0
    }
  }

  private func line(_ cells: [String], widths: [Int], width: Int) -> String {
    var text = ""
    for (cell, columnWidth) in zip(cells.dropLast(), widths) {
      text += VisibleText.padded(cell, to: columnWidth + Table.gap)
    }
    return VisibleText.cut(text + (cells.last ?? ""), to: width, end: "…")
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
