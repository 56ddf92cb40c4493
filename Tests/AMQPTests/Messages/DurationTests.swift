import Testing

@testable import AMQP

@Suite("Spans of time in whole numbers")
struct DurationTests {
  @Test("one that does not fit is the longest that does", arguments: [Int64.max, Int64.max / 1_000 + 1])
  func tooLong(_ seconds: Int64) {
    #expect(Duration.seconds(seconds).milliseconds == .max)
    #expect(Duration.seconds(-seconds).milliseconds == .min)
    #expect(Duration.seconds(-seconds).microseconds == .min)
  }

  @Test("so is one that does not fit by less than a second")
  func bySomeMilliseconds() {
    #expect((Duration.milliseconds(Int64.max) + .milliseconds(100)).milliseconds == .max)
    #expect((Duration.milliseconds(Int64.min) - .milliseconds(100)).milliseconds == .min)
    #expect(Duration.milliseconds(Int64.max).milliseconds == .max)
    #expect(Duration.microseconds(Int64.min).microseconds == .min)
  }
}
