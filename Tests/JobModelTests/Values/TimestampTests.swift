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
