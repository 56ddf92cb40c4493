import Testing

@testable import Hosting

@Suite("The limits of services")
struct ServiceLimitsTests {
  @Test("each service has its limit, and never takes the time of those that come after it")
  func shares() {
    let limit = StepLimit(each: .seconds(5), all: .seconds(15))
    #expect(limit.share(after: .zero, left: 1) == .seconds(5))
    #expect(limit.share(after: .zero, left: 3) == .seconds(5))
    #expect(limit.share(after: .zero, left: 5) == .seconds(3))
    #expect(limit.share(after: .seconds(12), left: 1) == .seconds(3))
    #expect(limit.share(after: .seconds(20), left: 2) == .zero)
    #expect(limit.share(after: .zero, left: 0) == .seconds(5))
  }

  @Test("however many services use up their share, all together stay within the limit")
  func together() {
    let limit = StepLimit(each: .seconds(5), all: .seconds(15))
    for count in 1...40 {
      var spent = Duration.zero
      for left in (1...count).reversed() { spent += limit.share(after: spent, left: left) }
      #expect(spent <= limit.all)
    }
  }

  @Test("a part of the stop is kept for the rest of the life cycle; at once, nothing else is told")
  func stopping() {
    let limits = ServiceLimits()
    #expect(limits.stopping(within: .seconds(5), atOnce: false) == (.seconds(4), .seconds(1)))
    #expect(limits.stopping(within: .seconds(1), atOnce: false) == (.milliseconds(500), .milliseconds(500)))
    #expect(limits.stopping(within: .seconds(5), atOnce: true) == (.zero, .seconds(1)))
  }

  @Test("of many errors the first ones are logged, and then fewer and fewer")
  func errors() {
    let logged = (1...100).filter { ServiceReport.isWorthwhile(error: $0) }
    #expect(logged == Array(1...10) + [16, 32, 64])
  }
}
