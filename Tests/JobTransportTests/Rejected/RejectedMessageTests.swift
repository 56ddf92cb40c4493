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
    _ properties: MessageProperties, _ body: Delivery.Body = .bytes([1, 2]), from queue: String = "teller.submissions"
  ) -> RejectedMessage {
    let parked = ParkedMessage(
      Deliveries.make(properties, body), from: queue, at: Timestamp(milliseconds: 1_772_000_000_000), reason: reason)
    return RejectedMessage(Deliveries.of(parked.publishing))
  }

  private func obstacle(_ message: RejectedMessage) -> PutBackObstacle? {
    do throws(PutBackObstacle) {
      _ = try message.putBack()
      return nil
    } catch {
      return error
    }
  }

  @Test("says when, from where and why, and is put back as it was sent")
  func read() throws {
    let message = rejected(sent)
    #expect(message.parked?.milliseconds == 1_772_000_000_000 && message.from == "teller.submissions")
    #expect(message.reason == reason && message.size == 2)
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
    #expect(id.count == 10 && id.allSatisfy(\.isHexDigit))
    (delivery.isRedelivered, delivery.deliveryTag) = (true, 17)
    delivery.properties.headers["x-delivery-count"] = 3
    #expect(RejectedMessage(delivery).id == id)
    delivery.body = .bytes([2])
    let other = RejectedMessage(delivery).id
    delivery.properties.headers["teller-parked-ms"] = 2
    #expect(Set([id, other, RejectedMessage(delivery).id]).count == 3)
  }

  @Test("of which not everything was kept is not put back")
  func lost() {
    #expect(obstacle(rejected(sent, .overLimit(declaredSize: 5_000_000))) == .bodyIsCut(kept: 0, size: 5_000_000))
    let long = [UInt8](repeating: 1, count: ParkedMessage.bodyLimit + 1)
    #expect(
      obstacle(rejected(sent, .bytes(long))) == .bodyIsCut(kept: ParkedMessage.bodyLimit, size: Int64(long.count)))
    var odd = sent
    odd.problems = [.tooManyHeaders(limit: 128)]
    #expect(obstacle(rejected(odd)) == .propertiesAreLost("there are more than 128 header values"))
  }

  @Test("of another program has an id, and no way back")
  func foreign() {
    let message = RejectedMessage(Deliveries.make(MessageProperties(headers: ["teller-parked-ms": "soon"])))
    #expect(message.parked == nil && message.from == nil && message.reason == nil && message.id.count == 10)
    #expect(obstacle(message) == .unknownOrigin(nil))
    #expect(obstacle(rejected(sent, from: "teller.admin")) == .unknownOrigin("teller.admin"))
  }
}
