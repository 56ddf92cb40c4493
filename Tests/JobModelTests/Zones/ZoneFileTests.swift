import Foundation
import TestSupport
import Testing

@testable import JobModel

/// Files of zone data that are made by hand.
enum ZoneSample {
  /// A file of the second version: no changes of its own, and a rule.
  static func file(rule: String, changes: [(time: Int, offset: Int)] = [], first: Int = 0, leaps: Int = 0) -> [UInt8] {
    let types = [first] + changes.map(\.offset)
    var new = header(leaps, times: changes.count, types: types.count)
    for change in changes { new += bytes(of: change.time, 8) }
    new += changes.indices.map { UInt8($0 + 1) }
    for type in types { new += bytes(of: type, 4) + [0, 0] }
    let old = header(leaps, times: 0, types: 1) + bytes(of: first, 4) + [0, 0] + name + zeros(leaps * 8)
    return old + new + name + zeros(leaps * 12) + Array("\n\(rule)\n".utf8)
  }

  private static let name = Array("XXX\0".utf8)
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func header(_ leaps: Int, times: Int, types: Int) -> [UInt8] {
    var header = Array("TZif2".utf8) + zeros(15)
    for count in [0, 0, leaps, times, types, name.count] { header += bytes(of: count, 4) }
    return header
  }

  static func bytes(of number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

@Suite("Files of zone data")
struct ZoneFileTests {
  struct Rule: CustomTestStringConvertible {
    var text: String
    /// A moment in UTC, and how far the clock is ahead then, in minutes.
    var offsets: [(time: String, minutes: Int)]
    var testDescription: String { text }
  }

  static let rules = [
    Rule(text: "UTC0", offsets: [("2030-06-01T00:00:00Z", 0)]),
    Rule(text: "<+0545>-5:45", offsets: [("2030-06-01T00:00:00Z", 345)]),
    Rule(
      text: "CET-1CEST,M3.5.0,M10.5.0/3",
      offsets: [
        ("2026-03-29T00:59:59Z", 60), ("2026-03-29T01:00:00Z", 120), ("2026-10-25T00:59:59Z", 120),
        ("2026-10-25T01:00:00Z", 60), ("9999-07-01T00:00:00Z", 120), ("9999-12-31T23:59:59Z", 60),
      ]),
    // The south: summer is at the turn of the year.
    Rule(
      text: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
      offsets: [
        ("2026-01-01T00:00:00Z", 660), ("2026-04-04T14:59:59Z", 660), ("2026-04-04T15:00:00Z", 630),
        ("2026-10-03T15:29:59Z", 630), ("2026-10-03T15:30:00Z", 660),
      ]),
    // Winter is the exception.
    Rule(
      text: "IST-1GMT0,M10.5.0,M3.5.0/1",
      offsets: [("2026-07-01T00:00:00Z", 60), ("2026-12-01T00:00:00Z", 0), ("2026-03-29T01:00:00Z", 60)]),
    // The clocks change beyond their day.
    Rule(
      text: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
      offsets: [("2026-03-29T00:59:59Z", -120), ("2026-03-29T01:00:00Z", -60), ("2026-10-25T01:00:00Z", -120)]),
    Rule(
      text: "IST-2IDT,M3.4.4/26,M10.5.0", offsets: [("2026-03-26T23:59:59Z", 120), ("2026-03-27T00:00:00Z", 180)]),
    // Without days those of the United States count.
    Rule(text: "EST5EDT", offsets: [("2026-03-08T06:59:59Z", -300), ("2026-03-08T07:00:00Z", -240)]),
    // Days of the year: 1 March is the 60th where 29 February has no number.
    Rule(
      text: "AAA0BBB,J60/0,J300/0",
      offsets: [
        ("2028-02-29T23:59:59Z", 0), ("2028-03-01T00:00:00Z", 60), ("2027-02-28T23:59:59Z", 0),
        ("2027-03-01T00:00:00Z", 60),
      ]),
    Rule(
      text: "AAA0BBB,59/0,299/0", offsets: [("2028-02-29T00:00:00Z", 60), ("2027-02-28T23:59:59Z", 0)]),
    // A summer that lasts all the year.
    Rule(
      text: "EST5EDT,0/0,J365/25",
      offsets: [("2026-01-01T05:00:00Z", -240), ("2026-12-31T23:59:59Z", -240), ("2027-01-01T04:00:00Z", -240)]),
  ]

  @Test("a rule has the offsets of its days, in all years to come", arguments: rules)
  func rule(example: Rule) throws {
    let file = try #require(ZoneFile(ZoneSample.file(rule: example.text)))
    for (time, minutes) in example.offsets {
      let seconds = Int(try Timestamp(time).milliseconds / 1_000)
      #expect(file.offset(at: seconds) == minutes * 60, "\(time)")
    }
  }

  @Test(
    "what is no rule makes the file useless",
    arguments: [
      "X", "CE-1", "CET", "CET-", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
      "CET-1CEST,M3.6.0,M1.1.0",
      "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,5", "CET-168", "CET-1:60", "<CET-1", "CET-1 ",
      "CET-1CEST,M3.5.0,M10.5.0/", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M3.5.0/168,M10.5.0",
    ])
  func noRule(text: String) { #expect(ZoneFile(ZoneSample.file(rule: text)) == nil) }

  @Test("the listed changes count up to the last one, then the rule; without a rule the last one stays")
  func changes() throws {
    let changes = [(time: 100, offset: 3_600), (time: 200, offset: -7_200), (time: 300, offset: 0)]
    for (rule, last) in [("", 0), ("AAA-5", 18_000)] {
      let file = try #require(ZoneFile(ZoneSample.file(rule: rule, changes: changes, first: 60)))
      #expect([0, 99, 100, 199, 200, 299].map(file.offset) == [60, 60, 3_600, 3_600, -7_200, -7_200])
      #expect(file.offset(at: 300) == last && file.offset(at: 253_402_300_799) == last)
    }
  }

  @Test("what is damaged, or counts leap seconds, is refused; nothing stops the program")
  func damaged() throws {
    let sample = ZoneSample.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3", changes: [(5, 3_600), (9, 7_200)], first: 60)
    #expect(ZoneFile(sample) != nil)
    for count in 0..<sample.count { #expect(ZoneFile(Array(sample.prefix(count))) == nil, "\(count) bytes") }
    #expect(ZoneFile(ZoneSample.file(rule: "UTC0", leaps: 2)) == nil)
    #expect(ZoneFile(ZoneSample.file(rule: "UTC0", changes: [(9, 0), (5, 0)])) == nil, "not rising")
    #expect(ZoneFile(ZoneSample.file(rule: "UTC0", first: 90_000)) == nil, "further than any clock")
    #expect(ZoneFile([UInt8](repeating: 0, count: ZoneFile.longest + 1)) == nil)
    var random = SeededRandom(for: "damaged zone data")
    for _ in 0..<3_000 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let file = ZoneFile(bytes) else { continue }
      for time in [0, 7, 1_800_000_000, 253_402_300_799] { #expect(abs(file.offset(at: time)) < 8 * 86_400) }
    }
  }

  @Test("a file of the first version has no rule")
  func firstVersion() throws {
    var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
    for count in [0, 0, 0, 1, 2, 4] { bytes += ZoneSample.bytes(of: count, 4) }
    bytes += ZoneSample.bytes(of: -5, 4) + [1]
    for offset in [0, 3_600] { bytes += ZoneSample.bytes(of: offset, 4) + [0, 0] }
    let file = ZoneFile(bytes + Array("XXX\0".utf8))
    #expect(file?.offset(at: -6) == 0 && file?.offset(at: -5) == 3_600)
  }
}
