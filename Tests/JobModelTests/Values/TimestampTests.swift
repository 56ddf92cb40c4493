import Foundation
import JobModel
import Testing

@Suite("Moments and spans of time")
struct TimestampTests {
  @Test("a span that does not fit is the longest that does", arguments: [Int64.max, Int64.max / 1_000 + 1])
  func spans(_ seconds: Int64) {
    #expect(Duration.seconds(seconds).milliseconds == .max)
    #expect(Duration.seconds(-seconds).milliseconds == .min)
    #expect(Duration.seconds(seconds).microseconds == .max)
    #expect(Duration.seconds(-seconds).microseconds == .min)
  }

  @Test("the longest spans that fit are exact")
  func longest() {
    for number in [Int64.max, .min, .max - 1, .min + 1, 0, -1, 999, -1_001] {
      #expect(Duration.milliseconds(number).milliseconds == number)
      #expect(Duration.microseconds(number).microseconds == number)
    }
  }

  @Test(
    "for people a span has the two largest units that it fills",
    arguments: [
      (0, "0 ms"), (999, "999 ms"), (1_500, "1.5 s"), (2_000, "2 s"), (59_999, "59.9 s"), (60_000, "1 min"),
      (200_000, "3 min 20 s"), (7_500_000, "2 h 5 min"), (86_400_000, "1 d"), (273_600_000, "3 d 4 h"),
    ])
  func words(milliseconds: Int64, text: String) {
    #expect(Duration.milliseconds(milliseconds).inWords == text)
  }

  @Test("a date may be any number: what does not fit is the last moment, or the first")
  func dates() {
    let dates: [(Double, Int64)] = [
      (0, 0), (-0.0004, 0), (-1.5, -1_500), (253_402_300_799.9994, 253_402_300_799_999), (1e30, .max), (-1e30, .min),
      (.infinity, .max), (-.infinity, .min), (.nan, .min), (.greatestFiniteMagnitude, .max),
    ]
    for (seconds, milliseconds) in dates {
      #expect(Timestamp(Date(timeIntervalSince1970: seconds)).milliseconds == milliseconds, "\(seconds)")
    }
    #expect(Timestamp(.distantFuture).date == .distantFuture && Timestamp(.distantPast).date == .distantPast)
  }

  @Test("a moment that does not fit is the last one, or the first")
  func moments() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last + .milliseconds(1) == last)
    #expect(first - .milliseconds(1) == first)
    #expect(first + .milliseconds(-1) == first)
    #expect(last - .milliseconds(Int64.min) == last)
    #expect(Timestamp(milliseconds: 5) + .seconds(Int64.max) == last)
    #expect(Timestamp(milliseconds: 5) - .seconds(Int64.max) < Timestamp(milliseconds: 0))
    #expect(Timestamp(milliseconds: 5) + .milliseconds(7) == Timestamp(milliseconds: 12))
    #expect(last.milliseconds(since: first) == .max)
    #expect(first.milliseconds(since: last) == .min)
    #expect(Timestamp(milliseconds: 5).milliseconds(since: Timestamp(milliseconds: 12)) == -7)
  }

  @Test("a standing stays within what can be counted, whatever the ledger says")
  func standings() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(Standing(readyAt: first, priority: .highest).value == .min)
    #expect(Standing(readyAt: last, priority: .normal, worth: .seconds(Int64.max)).value < last.milliseconds)
    #expect(Standing(value: .min).agedPriority(at: last) == .highest)
    #expect(Standing(value: .max).agedPriority(at: first).level == 0)
    #expect(Standing(value: .min).agedPriority(at: last, worth: .microseconds(1)) == .highest)
    #expect(Standing(value: .max).moved(from: .highest, to: 0).value == .max)
  }
}
