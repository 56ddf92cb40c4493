import AMQP
import Testing

@testable import JobTransport

@Suite("Queues that an earlier version has made")
struct EarlierQueuesTests {
  private static func refusal(_ argument: String, of queue: String, code: UInt16 = 406) -> AMQPError {
    .channelClosed(
      code: code,
      text: "PRECONDITION_FAILED - inequivalent arg '\(argument)' for queue '\(queue)' in vhost 'teller': received the "
        + "value '2000' of type 'signedint' but current is none")
  }

  private func timeout(_ name: String, _ earlier: EarlierQueues) -> Duration? {
    Topology.queues.first { $0.name == name }.flatMap { earlier.asItIs($0).arguments.consumerDisconnectedTimeout }
  }

  @Test("are declared without the argument that they lack, the others with it")
  func lacking() {
    var earlier = EarlierQueues()
    #expect(timeout("teller.reports", earlier) == .seconds(2))
    let refusal = Self.refusal("x-consumer-disconnected-timeout", of: "teller.reports")
    #expect(refusal.isTransient, "the next connection does better")
    #expect(earlier.learn(from: refusal) == "teller.reports")
    #expect(timeout("teller.reports", earlier) == nil)
    #expect(timeout("teller.submissions", earlier) == .seconds(2))
  }

  @Test("and made anew meanwhile, with it again")
  func madeAnew() {
    var earlier = EarlierQueues()
    let refusal = Self.refusal("x-consumer-disconnected-timeout", of: "teller.reports")
    for _ in 1...2 { #expect(earlier.learn(from: refusal) == "teller.reports") }
    #expect(timeout("teller.reports", earlier) == .seconds(2))
  }

  @Test(
    "no other refusal says so",
    arguments: [
      refusal("x-max-length", of: "teller.submissions"),
      refusal("x-consumer-disconnected-timeout", of: "somebody.else"),
      refusal("x-consumer-disconnected-timeout", of: "teller.reports", code: 404),
      .connectionLost(reason: "x-consumer-disconnected-timeout"),
    ])
  func other(error: AMQPError) {
    var earlier = EarlierQueues()
    #expect(earlier.learn(from: error) == nil)
    #expect(timeout("teller.reports", earlier) == .seconds(2))
  }
}
