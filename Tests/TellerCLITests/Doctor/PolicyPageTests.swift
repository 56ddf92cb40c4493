import AMQP
import Foundation
import JobTransport
import TestSupport
import Testing

@testable import TellerCLI

@Suite("The table of policies in Deploy/policies.md")
struct PolicyPageTests {
  @Test("has every lasting queue, each with the keys that the doctor knows")
  func names() throws {
    let queues = Dictionary(grouping: try PolicyTable.cells(), by: \.queue)
    let lasting = Set(Topology.queues.map(\.name) + [Topology.Queue.coordinator])
    #expect(lasting.subtracting(queues.keys) == [])
    for (queue, cells) in queues { #expect(Set(cells.map(\.key)) == Set(PolicyEffect.keys), "\(queue)") }
  }

  @Test("has in bold what the doctor reports, and both name the same effect")
  func effects() throws {
    for cell in try PolicyTable.cells() {
      let found = PolicyEffect.harm(of: cell.key, cell.value, to: cell.queue)
      #expect((found != nil) == cell.isReported, "\(cell): \(found ?? "no harm")")
      guard let harm = found, cell.isReported else { continue }
      let effect = PolicyHarm(harm)
      #expect(effect != nil && effect == PolicyHarm(cell.text), "\(cell): \(harm)")
    }
  }
}

/// What a policy does to messages. The page and the doctor have each their own words for it.
private enum PolicyHarm: CaseIterable {
  case takenBack, refused, deleted, missing, unheard, missed, askedAgain, removed

  /// The first one counts whose words stand in the text.
  init?(_ text: String) {
    guard let found = Self.allCases.first(where: { $0.words.contains { text.contains($0) } }) else { return nil }
    self = found
  }

  private var words: [String] {
    switch self {
    case .takenBack: ["taken back", "takes back"]
    case .refused: ["refuses"]
    case .deleted: ["void", "deletes"]
    case .missing: ["missing"]
    case .unheard: ["not hear itself"]
    case .missed: ["misses events", "miss events"]
    case .askedAgain: ["asks again", "asked for again"]
    case .removed: [" go", "takes away"]
    }
  }
}

/// The table, read from the page.
private enum PolicyTable {
  struct Cell {
    /// One of the queues of the row; where the page has `…`, any name.
    let queue: String
    /// One of the keys of the column, with the value that the column names, or any.
    let key: String
    let value: PolicyValue
    /// What the page says; for "the same", what stands before it in the row.
    let text: String
    /// Whether it is bold: all of it, or for the key that it begins with.
    let isReported: Bool
  }

  static func cells() throws -> [Cell] {
    let page = try String(contentsOf: PackageFolder.url.appending(path: "Deploy/policies.md"), encoding: .utf8)
    let section = page.split(separator: "\n").drop { $0 != "## Each queue and each key" }.dropFirst()
    let rows = section.prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("|") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let header = try #require(rows.first, "the table is not where it was")
    // The second row is the line below the header.
    return rows.dropFirst(2).flatMap { cells(of: $0, header) }
  }

  private static func cells(of row: [String], _ header: [String]) -> [Cell] {
    let queues = names(in: row[0]).map { $0.replacing("…", with: "x") }
    var text = ""
    var cells: [Cell] = []
    for (column, field) in zip(header, row).dropFirst() {
      if !field.contains("the same") { text = field }
      for setting in names(in: column) {
        let (key, value) = keyAndValue(of: setting)
        let isReported = reports(field, key)
        cells += queues.map { Cell(queue: $0, key: key, value: value, text: text, isReported: isReported) }
      }
    }
    return cells
  }

  /// What stands between backticks.
  private static func names(in text: String) -> [String] {
    text.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// Of `overflow: drop-head` or `expires`.
  private static func keyAndValue(of setting: String) -> (key: String, value: PolicyValue) {
    let parts = setting.split(separator: ": ").map(String.init)
    return (parts[0], parts.count > 1 ? .word(parts[1]) : .number(1))
  }

  private static func reports(_ field: String, _ key: String) -> Bool {
    guard field.hasPrefix("**") else { return false }
    return field.prefixMatch(of: /\*\*`([^`]+)`:/).map { $0.1 == key } ?? true
  }
}
