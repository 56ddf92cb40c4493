import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@Suite struct RFC3339Tests {
  @Test(
    "a text of RFC 3339 is its moment",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59Z", -1000),
      ("2000-02-29T12:00:00Z", 951_825_600_000), ("2030-01-31T08:00:00.250999+01:00", 1_896_073_200_250),
      ("2030-01-31t08:00:00z", 1_896_076_800_000), ("2030-01-31 08:00:00-00:30", 1_896_078_600_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T00:59:60.25+01:00", 1_483_228_800_250),
      ("2016-12-31T18:29:60-05:30", 1_483_228_800_000), ("1990-12-31T23:59:60.999999999Z", 662_688_000_999),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("2030-01-31T08:00:00.5Z", 1_896_076_800_500), ("0000-03-01T00:00:00Z", -62_162_035_200_000),
    ] as [(String, Int64)])
  func moments(text: String, milliseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
  }

  @Test(
    "any other text is none",
    arguments: [
      "", "now", "2030-01-31", "2030-01-31T08:00Z", "2030-01-31T08:00:00", "2030-02-30T08:00:00Z",
      "2100-02-29T00:00:00Z", "2030-13-01T08:00:00Z", "2030-00-01T08:00:00Z", "2030-01-31T24:00:00Z",
      "2030-01-31T08:00:60Z", "2016-12-31T23:59:60+01:00", "2030-01-31T08:60:00Z", "10000-01-01T00:00:00Z",
      "2030-01-31T08:00:61Z", "2030-01-31T08:00:00.Z", "2030-01-31T08:00:00+1:00",
      "2030-01-31T08:00:00+24:00", "2030-01-31T08:00:00Zjunk", "+030-01-31T08:00:00Z", "2030-01-31T08:00:00+01:60",
      "2030-01-31T08:00:00." + String(repeating: "0", count: 50) + "Z",
    ])
  func others(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("a moment is written with its millisecond as it is, and read as the same")
  func written() {
    var random = SeededRandom(for: "written moments")
    let some: [Int64] = [0, 1, 999, -1, -999, -1_000, 1_795_975_889_330, 253_402_300_799_999]
    // Since 1621, as below.
    let range: ClosedRange<Int64> = -11_000_000_000_000...250_000_000_000_000
    for milliseconds in some + (0..<2_000).map({ _ in Int64.random(in: range, using: &random) }) {
      let text = Timestamp(milliseconds: milliseconds).rfc3339
      #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds, "\(text)")
    }
    #expect(Timestamp(milliseconds: 1_795_975_889_330).rfc3339.hasSuffix(":29.330Z"))
  }

  @Test("it agrees with Foundation about random moments")
  func random() {
    var random = SeededRandom(for: "RFC 3339")
    for _ in 0..<300 {
      // Since 1621: Foundation counts by another calendar before 1582, RFC 3339 does not.
      let seconds = Int64.random(in: -11_000_000_000...250_000_000_000, using: &random)
      let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
      #expect(Timestamp(rfc3339: text)?.milliseconds == seconds * 1000, "\(text)")
    }
  }
}
