import AMQP
import JobModel
import JobTransport
import Testing

@Suite struct ParkedMessageTests {
  private let reason = JobFailure(code: "missing_kind", message: "the property type is missing")
  private let moment = Timestamp(milliseconds: 1_772_000_000_000)

  @Test("a parked message keeps its properties and body, and says why")
  func kept() {
    let properties = MessageProperties(
      contentType: "a/b", headers: ["mine": 5], priority: 200, correlationID: "c", replyTo: "somewhere",
      messageID: "m", timestamp: 9, type: "no.dots", appID: "app")
    let message = ParkedMessage(
      Deliveries.make(properties, .bytes([1, 2, 3])), from: "teller.submissions", at: moment, reason: reason
    ).publishing
    #expect(message.exchange == "" && message.routingKey == "teller.rejected")
    #expect(message.body == [1, 2, 3])
    var expected = properties
    expected.headers = [
      "mine": 5, "teller-error": "missing_kind", "teller-message": "the property type is missing",
      "teller-parked-from": "teller.submissions", "teller-parked-ms": 1_772_000_000_000,
    ]
    #expect(message.properties == expected)
  }

  @Test("what the broker would act on is taken out or put aside")
  func disarmed() {
    var properties = MessageProperties(
      headers: [
        "CC": ["teller.reports"], "BCC": ["teller.reports"], "odd": .unsupported(kind: 1),
        "nested": ["a": [.unsupported(kind: 1), 2]],
      ], replyTo: "amq.rabbitmq.reply-to", expiration: "0", userID: "somebody")
    properties.problems = [.emptyHeaderKey]
    let parked = ParkedMessage(Deliveries.make(properties), from: "teller.reports", at: moment, reason: reason)
    #expect(parked.properties.replyTo == nil)
    #expect(parked.properties.expiration == nil && parked.properties.userID == nil)
    #expect(parked.properties.problems.isEmpty)
    #expect(
      parked.properties.headers == [
        "nested": ["a": [2]], "teller-expiration": "0", "teller-user-id": "somebody", "teller-error": "missing_kind",
        "teller-message": "the property type is missing", "teller-parked-from": "teller.reports",
        "teller-parked-ms": 1_772_000_000_000, "teller-lost": "a header has an empty name",
      ])
  }

  @Test("of a body over the limit its size is kept")
  func overLimit() {
    let skipped = ParkedMessage(
      Deliveries.make(.init(), .overLimit(declaredSize: 5_000_000)), from: "q", at: moment, reason: reason)
    #expect(skipped.body.isEmpty)
    #expect(skipped.properties.headers["teller-body-size"] == 5_000_000)
    let whole = ParkedMessage(
      Deliveries.make(MessageProperties(headers: ["teller-body-size": 9]), .bytes([1])), from: "q", at: moment,
      reason: reason)
    #expect(whole.properties.headers["teller-body-size"] == nil, "a sender has no say in it")
    let long = [UInt8](repeating: 1, count: ParkedMessage.bodyLimit + 1)
    let cut = ParkedMessage(Deliveries.make(.init(), .bytes(long)), from: "q", at: moment, reason: reason)
    #expect(cut.body.count == ParkedMessage.bodyLimit)
    #expect(cut.properties.headers["teller-body-size"] == .int(Int64(long.count)))
  }
}
