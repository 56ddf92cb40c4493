import AMQP
import JobModel
import Testing

@testable import JobTransport

@Suite("The broker's answers to a trial of rights")
struct RightsTrialTests {
  private static let rights: [Right] =
    Topology.rightsOfCoordinator(departments: ["work"])
    + UserRole.allCases.flatMap { Topology.rights(of: $0, departments: ["work"]) }

  @Test(
    "a queue whose node is down is neither missing nor a right that is there, whichever right is tried",
    arguments: rights)
  func down(right: Right) {
    let words = "home node 'a@b' of durable queue 'teller.notifications' in vhost '/' is down or inaccessible"
    #expect(RightsTrial.answer(.channelClosed(code: 404, text: words), to: right) == .down(words))
  }

  @Test("a queue that is not there is none that is down", arguments: rights)
  func missing(right: Right) {
    let answer = RightsTrial.answer(.channelClosed(code: 404, text: "NOT_FOUND - no queue 'q' in vhost '/'"), to: right)
    #expect(answer == .missing || answer == .allowed)
  }
}
