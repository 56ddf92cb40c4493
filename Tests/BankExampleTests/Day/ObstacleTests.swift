import JobModel
import Teller
import Testing

@testable import BankExample

@Suite("The obstacles of a day")
struct ObstacleTests {
  private func department(_ name: Department, tellers: Int, isPaused: Bool = false) -> DepartmentStatus {
    DepartmentStatus(
      department: name, isOrdered: false, isPaused: isPaused, window: 1, cap: nil, tellers: tellers, held: 0,
      delayed: 0, dependent: 0, void: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0)
  }

  @Test("are the departments of the day that are paused, that nobody serves, or that do not exist")
  func departments() {
    let departments = [
      department("init", tellers: 1), department("deposit", tellers: 1, isPaused: true),
      department("loan", tellers: 0), department("other", tellers: 0, isPaused: true),
    ]
    let obstacles = [Obstacle].met(in: departments, needed: ["init", "deposit", "loan", "vault"])
    #expect(obstacles == [.paused("deposit"), .unstaffed("loan"), .unstaffed("vault")])
  }

  @Test("are known still while nobody answers, and only the last reason for that counts")
  func unanswered() {
    let before: [Obstacle] = [.noBroker, .paused("deposit")]
    #expect(before.joined(by: .noCoordinator) == [.noCoordinator, .paused("deposit")])
  }

  @Test("are told of an error that may pass, and of no other")
  func errors() {
    #expect(Obstacle(.noCoordinator(silentFor: .seconds(2))) == .noCoordinator)
    #expect(Obstacle(.noCoordinatorEver) == .noCoordinator)
    #expect(Obstacle(.brokerUnavailable(reason: "x")) == .noBroker)
    #expect(Obstacle(.brokerBlocked(reason: "x")) == .blockedBroker)
    #expect(Obstacle(.closed) == nil)
  }
}
