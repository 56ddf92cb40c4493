import AMQP
import JobModel
import Testing

@testable import JobTransport

@Suite("A rejected message")
struct RejectedMessageTests {
  private let reason = JobFailure(code: "unknown_department", message: "there is no department \"loan\"")
  private let sent = MessageProperties(
    contentType: "application/json", headers: ["teller-department": "loan", "mine": ["a": 1, "b": [2]]], priority: 4,
    messageID: "m", type: "letter", userID: "producer")

  private func rejected(
    _ properties: MessageProperties, _ body: Delivery.Body = .bytes([1, 2]), from queue: String = "teller.submissions",
    because reason: JobFailure? = nil
  ) -> RejectedMessage {
    let parked = ParkedMessage(
      Deliveries.make(properties, body), from: queue, at: Timestamp(milliseconds: 1_772_000_000_000),
      reason: reason ?? self.reason)
    return RejectedMessage(Deliveries.of(parked.publishing))
  }

  @Test("says when, from where and why, and is put back as it was sent")
  func read() throws {
    let message = rejected(sent)
    #expect(message.parked?.milliseconds == 1_772_000_000_000 && message.from == "teller.submissions")
    #expect(message.reason == reason && message.size == 2 && message.user == "producer")
    var expected = sent
    expected.userID = nil
    let again = try message.putBack()
    #expect(again.exchange == "teller.submit" && again.properties == expected && again.body == [1, 2])
    let report = try rejected(sent, from: "teller.reports").putBack()
    #expect(report.exchange == "teller.reports" && report.routingKey == "teller.reports")
  }

  @Test("has the same id in each delivery, and another one than any other message")
  func id() {
    let parked = ParkedMessage(
      Deliveries.make(sent, .bytes([1])), from: "q", at: Timestamp(milliseconds: 1), reason: reason)
    var delivery = Deliveries.of(parked.publishing)
    let id = RejectedMessage(delivery).id
    #expect(id.count == 32 && id.allSatisfy(\.isHexDigit))
    (delivery.isRedelivered, delivery.deliveryTag) = (true, 17)
    delivery.properties.headers["x-delivery-count"] = 3
    #expect(RejectedMessage(delivery).id == id)
    delivery.body = .bytes([2])
    let other = RejectedMessage(delivery).id
    delivery.properties.headers["teller-parked-ms"] = 2
    let later = RejectedMessage(delivery).id
    delivery.properties.headers["x-mine"] = 2
    #expect(Set([id, other, later, RejectedMessage(delivery).id]).count == 4)
  }

  @Test("of which not everything was kept is not put back")
  func lost() {
    #expect(rejected(sent, .overLimit(declaredSize: 5_000_000)).obstacle == .bodyIsCut(kept: 0, size: 5_000_000))
    let long = [UInt8](repeating: 1, count: ParkedMessage.bodyLimit + 1)
    #expect(
      rejected(sent, .bytes(long)).obstacle == .bodyIsCut(kept: ParkedMessage.bodyLimit, size: Int64(long.count)))
    var odd = sent
    odd.problems = [.tooManyHeaders(limit: 128)]
    #expect(rejected(odd).obstacle == .propertiesAreLost("there are more than 128 header values"))
  }

  @Test("of another program has an id, and no way back")
  func foreign() {
    let message = RejectedMessage(Deliveries.make(MessageProperties(headers: ["teller-parked-ms": "soon"])))
    #expect(message.parked == nil && message.from == nil && message.reason == nil && message.id.count == 32)
    #expect(message.obstacle == .unknownOrigin(nil))
    #expect(rejected(sent, from: "teller.admin").obstacle == .unknownOrigin("teller.admin"))
  }

  @Test("that its user was not allowed to send is put back only as one's own")
  func notAllowed() throws {
    let refused = rejected(sent, because: JobFailure(code: "not_allowed", message: "no"))
    #expect(refused.obstacle == .notAllowed(user: "producer"))
    #expect(try refused.putBack(asMine: true).exchange == "teller.submit")
    // What cannot be put back at all is not to be taken over either.
    let lost = rejected(sent, .overLimit(declaredSize: 5_000_000), because: refused.reason)
    #expect(lost.obstacle == .bodyIsCut(kept: 0, size: 5_000_000))
    var nameless = sent
    nameless.userID = nil
    #expect(rejected(nameless, because: refused.reason).obstacle == .notAllowed(user: nil))
  }

  @Test("of another program that says where it came from is put back without what the broker would act on")
  func forged() throws {
    let headers: FieldTable = [
      "teller-parked-from": "teller.submissions", "CC": ["teller.reports"], "BCC": ["teller.reports"], "mine": 1,
    ]
    let message = RejectedMessage(
      Deliveries.make(
        MessageProperties(headers: headers, replyTo: "amq.rabbitmq.reply-to", expiration: "7", userID: "forger")))
    let again = try message.putBack()
    #expect(again.properties == MessageProperties(headers: ["mine": 1]) && message.expiration == "7")
  }

  @Test("differs from another one in what would be put back, and not in the broker's counts")
  func content() {
    let parked = ParkedMessage(
      Deliveries.make(sent, .bytes([1])), from: "q", at: Timestamp(milliseconds: 1), reason: reason)
    var delivery = Deliveries.of(parked.publishing)
    let message = RejectedMessage(delivery)
    (delivery.deliveryTag, delivery.properties.headers["x-delivery-count"]) = (17, 3)
    #expect(message.hasSameContent(as: RejectedMessage(delivery)))
    var (body, header) = (delivery, delivery)
    body.body = .bytes([2])
    header.properties.headers["mine"] = 2
    for other in [body, header] { #expect(!message.hasSameContent(as: RejectedMessage(other))) }
  }
}
