import AuditSupport
import Decisions
import JobModel
import Testing

@testable import Simulator

/// Which configurations may have been in force at a moment, or when something was recorded.
@Suite("The simulator's knowledge of what is in force")
struct InForceTests {
  private func configuration(_ seconds: Int) -> CoordinatorConfiguration {
    CoordinatorConfiguration(lease: .seconds(seconds))
  }

  private func moment(_ seconds: Int) -> Moment { Moment(nanoseconds: Int64(seconds) * 1_000_000_000) }

  /// The first one until it is replaced at 20 to 30 s, with events 5 to 7.
  private var replaced: InForce {
    var inForce = InForce()
    inForce.begins(configuration(1), at: moment(0), after: 0)
    inForce.mayBegin(configuration(2), at: moment(20), after: 5)
    inForce.begins(configuration(2), at: moment(30), after: 7)
    return inForce
  }

  /// What tells them apart.
  private func leases(_ configurations: [CoordinatorConfiguration]) -> [Int] {
    configurations.map { Int($0.lease / .seconds(1)) }
  }

  @Test("has both the old and the new one while a coordinator is about to go on, and one of them before and after")
  func moments() {
    for (first, last, wanted) in [(1, 19, [1]), (1, 20, [1, 2]), (25, 25, [1, 2]), (30, 40, [1, 2]), (31, 40, [2])] {
      let present = replaced.present(between: moment(first), and: moment(last)).map(\.configuration)
      #expect(leases(present) == wanted, "\(first) to \(last)")
    }
  }

  @Test("knows by the number of an event, from both sides, by which of them it was recorded")
  func events() {
    for (number, wanted) in [(1, [1]), (5, [1]), (6, [1, 2]), (7, [1, 2]), (8, [2])] {
      let present = replaced.configurations(atEvent: Int64(number))
      #expect(leases(present) == wanted, "\(number)")
    }
  }

  @Test("has the present one for numbers that are used again, since a ledger lacks its last events")
  func again() {
    var inForce = replaced
    inForce.begins(configuration(2), at: moment(40), after: 3)
    #expect(leases(inForce.configurations(atEvent: 3)) == [1])
    #expect(leases(inForce.configurations(atEvent: 4)) == [1, 2])
    #expect(leases(inForce.configurations(atEvent: 8)) == [2])
  }

  @Test("ends no configuration for events where nobody knows which was the last one")
  func unknown() {
    var inForce = InForce()
    inForce.begins(configuration(1), at: moment(0), after: nil)
    inForce.begins(configuration(2), at: moment(30), after: nil)
    #expect(leases(inForce.configurations(atEvent: 9)) == [1, 2])
    #expect(leases(inForce.present(between: moment(31), and: moment(32)).map(\.configuration)) == [2])
  }

  @Test("takes a rule for certain where each configuration that may be in force has it; for gone, where none has it")
  func rules() throws {
    let bench = try RuleBench()
    let world = bench.world
    let usual = CoordinatorConfiguration(rules: [try #require(Setting.possibleRules.first)])
    var others = usual
    others.rules[0].submit.priority = .normal
    others.rules[0].submit.attempts = 7
    let failure = JobModel.Notification(kind: "hopeless", event: "failed", at: Timestamp(milliseconds: 0))
    func isCertain(_ number: Int64?) -> Bool { world.inForce.certainlyMakes("alert", of: failure, atEvent: number) }
    func isGone(_ number: Int64) -> Bool { world.inForce.certainlyLacks("alert", of: nil, atEvent: number) }
    #expect(!isCertain(1) && !isCertain(nil) && !isGone(1))
    world.goesOn(with: usual, bench.node)
    world.mayGoOn(with: others, bench.node)
    #expect(isCertain(1) && isCertain(nil))
    try bench.write("notification", InForceTests.event(3))
    world.mayGoOn(with: CoordinatorConfiguration(), bench.node)
    try bench.write("notification", InForceTests.event(4))
    world.goesOn(with: CoordinatorConfiguration(), bench.node)
    #expect(isCertain(3) && !isCertain(4) && !isGone(4) && isGone(5) && !isCertain(nil))
    world.goesOn(with: usual, bench.node)
    #expect(!isCertain(4) && !isGone(4) && isCertain(5))
  }

  /// The row of an event.
  static func event(_ number: Int) -> [String: String] {
    ["number": "\(number)", "epoch": "1", "moment": "0", "event": "'paused'", "subject": "x'64'"]
  }
}
