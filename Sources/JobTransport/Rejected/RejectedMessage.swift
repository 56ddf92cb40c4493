package import AMQP
package import JobModel

/// A message of `teller.rejected`, as it was parked.
package struct RejectedMessage: Sendable {
  /// Names the message for as long as it is in the queue. Its place in the queue would not: another person may take away
  /// a message before it.
  package internal(set) var id: String
  /// When the message was parked, by the coordinator's clock; nil: another program put it there.
  package let parked: Timestamp?
  /// The queue that the message came from; nil: another program put it there.
  package let from: String?
  /// The user of the broker who sent the message; nil: the message names none.
  package let user: String?
  /// Why it was parked.
  package let reason: JobFailure?
  /// The bytes of the body as it was sent. Not all of them need be here.
  package let size: Int64
  package let body: [UInt8]
  /// The time to live that the sender gave the message: milliseconds in digits. It is not set again.
  package let expiration: String?
  /// The properties as they were sent, without what parking has added and without what the broker would act on.
  package let properties: MessageProperties
  let deliveryTag: UInt64
  /// What was not kept.
  private let loss: PutBackObstacle?

  init(_ delivery: Delivery) {
    let headers = HeaderReader(delivery.properties)
    id = RejectedMessageID.of(delivery)
    deliveryTag = delivery.deliveryTag
    parked = (try? headers.number(Header.parked)).map { Timestamp(milliseconds: $0) }
    from = try? headers.text(Header.parkedFrom)
    // The property of a parked message names the coordinator, who has published it.
    user = from == nil ? delivery.properties.userID : try? headers.text(Header.userID)
    expiration = (try? headers.text(Header.expiration)) ?? delivery.properties.expiration
    reason = RejectedMessage.reason(headers)
    (body, size) = RejectedMessage.body(delivery.body, declared: try? headers.number(Header.bodySize))
    properties = RejectedMessage.original(delivery.properties)
    let lost = (try? headers.text(Header.lost)) ?? delivery.properties.problems.first?.description
    loss = size > body.count ? .bodyIsCut(kept: body.count, size: size) : lost.map { .propertiesAreLost($0) }
  }

  /// Whether the coordinator refused the message because of the user who sent it.
  package var isNotAllowed: Bool { reason?.code == JobFailure.Code.notAllowed }

  /// Why the message cannot be put back, as far as the message itself says so; nil: it can.
  package var obstacle: PutBackObstacle? {
    do throws(PutBackObstacle) {
      _ = try putBack()
      return nil
    } catch {
      return error
    }
  }

  /// Whether another message is the same one, or one that stands for it: what is put back is equal.
  package func hasSameContent(as other: RejectedMessage) -> Bool {
    var (mine, others) = (properties, other.properties)
    mine.headers = RejectedMessageID.withoutCounts(mine.headers)
    others.headers = RejectedMessageID.withoutCounts(others.headers)
    return mine == others && body == other.body && size == other.size && from == other.from && user == other.user
      && reason == other.reason
  }

  /// The message to publish again, to the exchange that leads to the queue it came from.
  ///
  /// - Parameter asMine: whether a message is put back that its sender was not allowed to send. It then comes from the
  ///   user who puts it back, and has the rights of that user.
  /// - Returns: the message as it was sent.
  /// - Throws: why it cannot be put back.
  package func putBack(asMine: Bool = false) throws(PutBackObstacle) -> Publishing {
    if let loss { throw loss }
    let publishing = try publishing()
    if isNotAllowed, !asMine { throw .notAllowed(user: user) }
    return publishing
  }

  private func publishing() throws(PutBackObstacle) -> Publishing {
    switch from.flatMap(Topology.Mail.init(rawValue:)) {
    case .submissions:
      return Publishing(
        exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit, properties: properties, body: body)
    case .reports:
      return Publishing(
        exchange: Topology.Exchange.reports, routingKey: Topology.RoutingKey.reports, properties: properties, body: body
      )
    case nil: throw .unknownOrigin(from)
    }
  }

  private static func reason(_ headers: HeaderReader) -> JobFailure? {
    guard let code = try? headers.text(Header.error) else { return nil }
    return JobFailure(code: code, message: (try? headers.text(Header.message)) ?? "")
  }

  private static func body(_ body: Delivery.Body, declared: Int64?) -> ([UInt8], size: Int64) {
    switch body {
    case .bytes(let bytes): (bytes, declared ?? Int64(bytes.count))
    case .overLimit(let size): ([], declared ?? Int64(clamping: size))
    }
  }

  /// The properties without the headers of parking, without the coordinator's user, and without what the broker would act
  /// on: a message of another program may have such parts. A time to live is not set again: the broker might remove the
  /// message before anybody reads it.
  private static func original(_ parked: MessageProperties) -> MessageProperties {
    var properties = parked
    ParkedMessage.disarm(&properties)
    for name in Header.ofParking { properties.headers[name] = nil }
    properties.deliveryMode = nil
    properties.problems = []
    return properties
  }
}
