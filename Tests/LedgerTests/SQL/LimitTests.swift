import LedgerSupport
import TestSupport
import Testing

@testable import Ledger

/// A statement with a `LIMIT` and without an order picks some rows: which ones depends on the file. Then a copy of the ledger
/// to which the statement is applied has other rows.
@Suite("each LIMIT has its order")
struct LimitTests {
  /// Columns of which no two of the rows that are sorted have the same value.
  private static let unique: Set = ["number", "id", "job", "name", "text"]

  @Test("in every text of SQL that there is")
  func order() throws {
    let texts = try SQLText.all().map(\.text)
    #expect(texts.count > 120, "\(texts.count)")
    #expect(texts.flatMap(Self.unordered) == [])
  }

  @Test("and the order of what is written is the same in every file: no two rows are equal in it")
  func total() throws {
    let writes = try SQLText.all().filter(\.isWrite).map(\.text).filter { $0.contains(" LIMIT ") }
    #expect(writes.count >= 9)
    for text in writes {
      for order in text.matches(of: #/ORDER BY ([^()]*?(?:\([^()]*\)[^()]*?)*) LIMIT/#) {
        let last = order.1.split(separator: ",").last?.split(separator: " ").first?.split(separator: ".").last
        #expect(last.map { Self.unique.contains(String($0)) } == true, "\(text)")
      }
    }
  }

  @Test(
    "one without is noticed",
    arguments: [
      "SELECT a FROM b LIMIT 1", "DELETE FROM a WHERE b IN (SELECT c FROM d WHERE e LIMIT ?)",
      "DELETE FROM a WHERE b IN (SELECT c FROM d LIMIT ?) ORDER BY e",
      "SELECT a FROM (SELECT b FROM c ORDER BY d) LIMIT 3",
    ])
  func noticed(text: String) { #expect(!Self.unordered(text).isEmpty) }

  @Test(
    "whether there is one needs no order",
    arguments: ["SELECT 1 FROM a WHERE b = ? LIMIT 1", "SELECT a FROM b WHERE (c, d) > (?, ?) ORDER BY c, d LIMIT 9"])
  func fine(text: String) { #expect(Self.unordered(text).isEmpty) }

  /// The texts that stand before a `LIMIT`, from their `SELECT` on, and have no order.
  private static func unordered(_ text: String) -> [String] {
    text.ranges(of: "LIMIT ").compactMap { limit in
      let part = part(of: text, before: limit.lowerBound)
      return part.contains("ORDER BY") || part.hasPrefix("SELECT 1 ") ? nil : part
    }
  }

  /// From the last `SELECT` of the same parentheses on, without what stands in inner ones.
  private static func part(of text: String, before end: String.Index) -> String {
    var (depth, kept) = (0, "")
    for character in text[..<end].reversed() {
      if character == ")" { depth += 1 }
      if depth == 0 {
        if character == "(" { break }
        kept.append(character)
        if kept.hasSuffix("TCELES") { break }
      }
      if character == "(" { depth -= 1 }
    }
    return String(kept.reversed())
  }
}
