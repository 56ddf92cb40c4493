import JobModel
import Testing

@testable import Decisions

@Suite("The time in which a coordinator served")
struct ServedTimeTests {
  private var served = ServedTime(memory: .seconds(600))

  private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + seconds * 1000) }

  /// It serves from one second to another.
  private mutating func serve(_ seconds: ClosedRange<Int64>) {
    for second in seconds { served.goOn(at: at(second)) }
  }

  @Test("nobody has been given time by a coordinator that has just begun")
  mutating func beginning() {
    #expect(served.moment(before: .seconds(1)) == nil)
    served.goOn(at: at(100))
    #expect(served.moment(before: .seconds(1)) == nil)
    #expect(served.moment(before: .zero) == at(100))
    #expect(served.served(since: at(0)) == .zero)
  }

  @Test("time in which nobody served does not count")
  mutating func gap() {
    serve(0...100)
    serve(500...600)
    #expect(served.moment(before: .seconds(60)) == at(540))
    #expect(served.moment(before: .seconds(150)) == at(50))
    #expect(served.moment(before: .seconds(201)) == nil)
    #expect(served.served(since: at(50)) == .seconds(150))
    #expect(served.served(since: at(300)) == .seconds(100))
  }

  @Test("a short silence counts")
  mutating func shortSilence() {
    served.goOn(at: at(0))
    served.goOn(at: at(10))
    #expect(served.moment(before: .seconds(10)) == at(0))
  }

  @Test("a clock that is set back begins it anew")
  mutating func setBack() {
    serve(1_000...1_300)
    served.goOn(at: at(0))
    #expect(served.moment(before: .seconds(1)) == nil)
    serve(1...20)
    #expect(served.moment(before: .seconds(20)) == at(0))
  }

  @Test("however often it begins anew, what is remembered is bounded, and enough")
  mutating func bounded() {
    for start in 0..<Int64(3 * ServedTime.stretchLimit) { serve((start * 100)...(start * 100 + 1)) }
    let end = (Int64(3 * ServedTime.stretchLimit) - 1) * 100 + 1
    #expect(served.moment(before: .seconds(600)) == at(end - 599 * 100 - 1))
    #expect(served.served(since: at(0)) <= .seconds(601))
    var seldom = ServedTime(memory: .seconds(600))
    for start in 0..<Int64(3 * ServedTime.stretchLimit) { seldom.goOn(at: at(start * 100)) }
    #expect(seldom.moment(before: .milliseconds(1)) == nil)
  }
}
