package import AMQP
package import JobModel

/// A message of `teller.rejected`, as it was parked.
package struct RejectedMessage: Sendable {
  /// Names the message for as long as it is in the queue. Its place in the queue would not: another person may take away
  /// a message before it.
  package let id: String
  /// When the message was parked, by the coordinator's clock; nil: another program put it there.
  package let parked: Timestamp?
  /// The queue that the message came from; nil: another program put it there.
  package let from: String?
  /// Why it was parked.
  package let reason: JobFailure?
  /// The bytes of the body as it was sent. Not all of them need be here.
  package let size: Int64
  package let body: [UInt8]
  /// The properties as they were sent, without what parking has added.
  package let properties: MessageProperties
  let deliveryTag: UInt64
  /// What was not kept.
  private let loss: PutBackObstacle?

  init(_ delivery: Delivery) {
    let headers = HeaderReader(delivery.properties)
    let error = try? headers.text(Header.error)
    parked = (try? headers.number(Header.parked)).map { Timestamp(milliseconds: $0) }
    from = try? headers.text(Header.parkedFrom)
    reason = error.map { JobFailure(code: $0, message: (try? headers.text(Header.message)) ?? "") }
    var kept: [UInt8] = []
    var declared = try? headers.number(Header.bodySize)
    switch delivery.body {
    case .bytes(let bytes): kept = bytes
    case .overLimit(let size): declared = declared ?? Int64(clamping: size)
    }
    body = kept
    size = declared ?? Int64(kept.count)
    properties = RejectedMessage.original(delivery.properties)
    id = RejectedMessageID.of(delivery)
    deliveryTag = delivery.deliveryTag
    let lost = (try? headers.text(Header.lost)) ?? delivery.properties.problems.first?.description
    loss = size > kept.count ? .bodyIsCut(kept: kept.count, size: size) : lost.map { .propertiesAreLost($0) }
  }

  /// The message to publish again, to the exchange that leads to the queue it came from.
  ///
  /// - Throws: why it cannot be put back.
  package func putBack() throws(PutBackObstacle) -> Publishing {
    if let loss { throw loss }
    switch from {
    case Topology.Queue.submissions:
      return Publishing(
        exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit, properties: properties, body: body)
    case Topology.Queue.reports:
      return Publishing(
        exchange: Topology.Exchange.reports, routingKey: Topology.Queue.reports, properties: properties, body: body)
    case let other: throw .unknownOrigin(other)
    }
  }

  /// The properties without the headers of parking, and without the coordinator's user. A time to live is not set again:
  /// the broker might remove the message before anybody reads it.
  private static func original(_ parked: MessageProperties) -> MessageProperties {
    var properties = parked
    for name in Header.ofParking { properties.headers[name] = nil }
    properties.userID = nil
    properties.deliveryMode = nil
    properties.problems = []
    return properties
  }
}

/// Why a message of `teller.rejected` cannot be put back.
package enum PutBackObstacle: Error, Hashable, Sendable {
  /// Only a part of the body was kept.
  case bodyIsCut(kept: Int, size: Int64)
  /// Some of the properties could not be read, and were not kept.
  case propertiesAreLost(String)
  /// It does not say that it came from a queue of Teller.
  case unknownOrigin(String?)
  /// The broker does not let this user publish there.
  case notPermitted(exchange: String, user: String)
  /// The broker has no room for the message now.
  case queueIsFull(String)
  /// No queue takes the message: no coordinator has declared it.
  case noQueue(String)
}

extension PutBackObstacle: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bodyIsCut(let kept, let size):
      "only \(kept) of the body's \(size) bytes were kept; the sender has to submit it again"
    case .propertiesAreLost(let problem):
      "not all of its properties were kept (\(Excerpt.quoted(problem))); the sender has to submit it again"
    case .unknownOrigin(nil): "it does not say which queue it came from; it was not parked by a coordinator"
    case .unknownOrigin(let queue?): "messages of \(Excerpt.quoted(queue)) cannot be put back"
    case .notPermitted(let exchange, let user):
      "the broker does not let user \(Excerpt.quoted(user)) publish to \(exchange); use a user with that permission"
    case .queueIsFull(let exchange):
      "the queue behind \(exchange) is full; try again when the coordinator has taken messages from it"
    case .noQueue(let exchange): "no queue takes messages of \(exchange): has a coordinator run on this broker?"
    }
  }
}
