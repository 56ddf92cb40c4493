import JobModel
import Testing

@testable import AMQP
@testable import JobTransport

@Suite("An answer that the broker does not take")
struct RefusedAnswerTests {
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")
  private let words = "PRECONDITION_FAILED - message size 30000 is larger than configured max size 20000"

  private func inPlace(of message: TransientPublishing) -> TransientPublishing? {
    AnswerCodec.encode(inPlaceOf: RefusedTransient(Publishing(message), text: words))
  }

  @Test("is replaced by an error to the same question, with its size and the broker's words")
  func replaced() throws {
    let answer = AnswerCodec.encode(JobChanges(changed: (0..<500).map { _ in JobID() }), to: address)
    let message = try #require(inPlace(of: answer))
    #expect(message.exchange == answer.exchange && message.routingKey == "teller.reply.x")
    #expect(message.properties.correlationID == "c" && message.body.count < 1_000)
    let error = #expect(throws: RequestError.self) {
      _ = try AnswerCodec.decode(JobChanges.self, from: Deliveries.of(message))
    }
    guard case .refused(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.code == JobFailure.Code.unpublishable)
    #expect(failure.message.contains("\(answer.body.count) bytes") && failure.message.contains(words))
  }

  @Test("is replaced once: for an error there is no other one, nor for what is no answer")
  func others() {
    #expect(inPlace(of: AnswerCodec.encode(JobFailure(code: "c", message: "m"), to: address)) == nil)
    let answer = AnswerCodec.encode(JobChanges(), to: address)
    var (nameless, relayed, typeless) = (answer, answer, answer)
    nameless.properties.correlationID = nil
    relayed.exchange = Topology.Exchange.notifications
    typeless.properties.type = nil
    for message in [nameless, relayed, typeless] { #expect(inPlace(of: message) == nil, "\(message.properties)") }
  }
}
