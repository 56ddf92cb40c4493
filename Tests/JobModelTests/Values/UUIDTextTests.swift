import Foundation
import Testing
import TestSupport

@testable import JobModel

/// What is written and read by hand is what Foundation writes and reads.
@Suite("The text of a UUID")
struct UUIDTextTests {
  /// Whether RFC 9562 allows it: the form that must be read, and no other.
  private static func isText(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let digits = Set("0123456789abcdefABCDEF".utf8)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { digits.contains($0) }
  }

  private static func uuid(_ random: inout SeededRandom) -> UUID {
    let bytes = withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  @Test("is written in lower case as Foundation has it, and read again in either case")
  func same() {
    var random = SeededRandom(for: "texts of UUIDs")
    for _ in 0..<5_000 {
      let uuid = Self.uuid(&random)
      let text = UUIDText.write(uuid)
      #expect(text == uuid.uuidString.lowercased())
      #expect(UUIDText.read(text) == uuid)
      #expect(UUIDText.read(uuid.uuidString) == uuid)
      let mixed = String(text.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
      #expect(UUIDText.read(mixed) == uuid)
    }
  }

  @Test("is read only if it is one, and then as Foundation reads it")
  func changed() {
    var random = SeededRandom(for: "changed texts of UUIDs")
    let pieces = ["-", "g", "0", "F", "a", " ", "x", "+", "{", "\n", "\u{0}", "é", "\u{301}", "٣", "🏦", "Ａ"]
    for _ in 0..<20_000 {
      var text = Array(Self.uuid(&random).uuidString)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let (place, other) = (text.indices.randomElement(using: &random) ?? 0, Int.random(in: 0..<3, using: &random))
        let piece = Array(pieces[Int.random(in: pieces.indices, using: &random)])
        text.replaceSubrange(place..<(other == 0 ? place : place + 1), with: other == 1 ? [] : piece)
      }
      let changed = String(text)
      let read = UUIDText.read(changed)
      #expect((read != nil) == Self.isText(changed), "\(changed.debugDescription)")
      if let read { #expect(UUID(uuidString: changed) == read, "\(changed.debugDescription)") }
    }
  }

  @Test(
    "in another form is none",
    arguments: [
      "", "-", "2ed6657d-e927-568b-95e1-2665a8aea6a", "2ed6657d-e927-568b-95e1-2665a8aea6a22",
      "2ed6657de927568b95e12665a8aea6a2", "2ed6657de-927-568b-95e1-2665a8aea6a2",
      "2ed6657d-e927-568b-95e12-665a8aea6a2",
      "2ed6657d_e927_568b_95e1_2665a8aea6a2", "{2ed6657d-e927-568b-95e1-2665a8aea6}",
      "2ed6657d-e927-568b-95e1-2665a8aea6a2\n", " 2ed6657d-e927-568b-95e1-2665a8aea6a",
      "2ed6657d-e927-568b-95e1-2665a8aea6é",
      "2ed6657d-e927-568b-95e1-2665a8aea6ag", "0x2ed665-e927-568b-95e1-2665a8aea6a2",
      "+1d6657d-e927-568b-95e1-2665a8aea6a2", "----------------------------------------", "é", "\u{0}",
      String(repeating: "0", count: 36), String(repeating: "-", count: 36), String(repeating: "é", count: 18),
    ])
  func wrong(text: String) {
    #expect(UUIDText.read(text) == nil)
    #expect(JobID(text) == nil)
  }

  @Test("is read from a text that came from Foundation, too")
  func bridged() throws {
    let text = String(NSString(string: "2ED6657D-E927-568B-95E1-2665A8AEA6A2"))
    #expect(UUIDText.read(text) == UUID(uuidString: text))
    let part = "id=2ed6657d-e927-568b-95e1-2665a8aea6a2;".dropFirst(3).dropLast()
    #expect(try #require(JobID(String(part))).description == part)
  }
}
