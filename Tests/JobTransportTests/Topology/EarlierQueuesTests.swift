import AMQP
import Testing

@testable import JobTransport

@Suite("Queues that an earlier version has made")
struct EarlierQueuesTests {
  private static let argument = "x-consumer-disconnected-timeout"

  private static func refusal(
    _ argument: String = argument, of queue: String = "teller.reports", code: UInt16 = 406,
    received: String = "the value '2000' of type 'signedint'", current: String = "none"
  ) -> AMQPError {
    .channelClosed(
      code: code,
      text: "PRECONDITION_FAILED - inequivalent arg '\(argument)' for queue '\(queue)' in vhost 'teller': "
        + "received \(received) but current is \(current)")
  }

  private static let hasItNow = refusal(received: "none", current: "the value '2000' of type 'signedint'")

  private func timeout(_ name: String, _ earlier: EarlierQueues) -> Duration? {
    Topology.queues.first { $0.name == name }.flatMap { earlier.asItIs($0).arguments.consumerDisconnectedTimeout }
  }

  @Test("are declared without the argument that they lack, the others with it")
  func lacking() {
    var earlier = EarlierQueues()
    #expect(timeout("teller.reports", earlier) == .seconds(2))
    #expect(EarlierQueues.isLesson(Self.refusal()), "the next connection does better")
    #expect(earlier.learn(from: Self.refusal()) == .isEarlier(queue: "teller.reports"))
    #expect(timeout("teller.reports", earlier) == nil)
    #expect(timeout("teller.submissions", earlier) == .seconds(2))
  }

  @Test("also when the end of the refusal is cut off")
  func cut() {
    var earlier = EarlierQueues()
    #expect(earlier.learn(from: Self.refusal(current: "")) == .isEarlier(queue: "teller.reports"))
    #expect(earlier.learn(from: Self.refusal(current: "")) == nil, "it did not help")
  }

  @Test("and made anew meanwhile, with it again")
  func madeAnew() {
    var earlier = EarlierQueues()
    _ = earlier.learn(from: Self.refusal())
    #expect(EarlierQueues.isLesson(Self.hasItNow))
    #expect(earlier.learn(from: Self.hasItNow) == .wasMadeAnew(queue: "teller.reports"))
    #expect(timeout("teller.reports", earlier) == .seconds(2))
  }

  @Test(
    "no other refusal says so",
    arguments: [
      refusal("x-max-length", of: "teller.submissions"),
      refusal(of: "somebody.else"),
      refusal(code: 404),
      refusal(current: "the value '5000' of type 'signedint'"),
      hasItNow,
      .connectionLost(reason: "x-consumer-disconnected-timeout"),
    ])
  func other(error: AMQPError) {
    var earlier = EarlierQueues()
    #expect(earlier.learn(from: error) == nil)
    #expect(timeout("teller.reports", earlier) == .seconds(2))
  }
}
