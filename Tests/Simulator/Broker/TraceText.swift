import AMQP

extension BrokerRequest {
  /// For a trace.
  var words: String {
    switch self {
    case .publish(let message, let number):
      "\(number == nil ? "transient" : "#\(number ?? 0)") \(message.properties.words) to \(message.exchange):\(message.routingKey)"
    case .declare: "declarations"
    case .ask(let queue): "question about \(queue.name)"
    case .delete(let queue): "deletion of \(queue)"
    case .consume(let queue, let tag, let prefetch, _): "consumer \(tag) of \(queue), \(prefetch)"
    case .cancel(let tag): "end of consumer \(tag)"
    case .ack(let tags): "acks \(tags)"
    case .requeue(let tags): "requeues \(tags)"
    case .reject(let tags): "rejects \(tags)"
    case .hangUp: "the end"
    }
  }
}

extension BrokerFrame {
  /// For a trace.
  var words: String {
    switch self {
    case .delivery(let delivery):
      "delivery \(delivery.deliveryTag) \(delivery.properties.words) \(delivery.isRedelivered ? "again " : "")by \(delivery.consumerTag)"
    case .published(let number, let result): "#\(number) \(result)"
    case .declared: "declared"
    case .counted(let queue, let messages): "\(messages) messages in \(queue)"
    case .deleted(let queue): "\(queue) is deleted"
    case .consuming(let tag): "consumer \(tag) begins"
    case .cancelled(let tag): "consumer \(tag) has ended"
    case .ended(let tag): "consumer \(tag) was ended"
    case .blocked: "blocked"
    case .unblocked: "unblocked"
    case .closed(let error): "closed: \(error)"
    }
  }
}

extension MessageProperties {
  fileprivate var words: String {
    [type ?? "message", messageID, headers["teller-job"]?.string].compactMap(\.self).joined(separator: " ")
  }
}
