internal import CRabbitMQ

extension Incoming {
  /// Copies the content of a frame out of the C library's memory. Only the bytes of a body stay there.
  ///
  /// - Returns: `nil` for a frame without content, such as a heartbeat.
  init?(_ frame: amqp_frame_t, limits: HeaderLimits) {
    switch Int32(frame.frame_type) {
    case AMQP_FRAME_METHOD:
      guard let method = Self.read(frame.payload.method) else { return nil }
      self = method
    case AMQP_FRAME_HEADER:
      guard let properties = frame.payload.properties.decoded?.load(as: amqp_basic_properties_t.self) else {
        return nil
      }
      let size = frame.payload.properties.body_size
      self = .header(MessageProperties(properties, limits: limits), bodySize: size)
    case AMQP_FRAME_BODY: self = .body(frame.payload.body_fragment.buffer)
    default: return nil
    }
  }

  private static func read(_ method: amqp_method_t) -> Incoming? {
    guard let decoded = method.decoded else { return nil }
    return readMessage(method.id, decoded) ?? readReply(method.id, decoded).map { .reply($0) }
      ?? readConnection(method.id, decoded) ?? .unknown(method: method.id)
  }

  private static func readMessage(_ id: amqp_method_number_t, _ decoded: UnsafeMutableRawPointer) -> Incoming? {
    switch id {
    case AMQP_BASIC_DELIVER_METHOD:
      let method = decoded.load(as: amqp_basic_deliver_t.self)
      return .message(.delivery(DeliveryHead(method)))
    case AMQP_BASIC_RETURN_METHOD:
      let method = decoded.load(as: amqp_basic_return_t.self)
      return .message(.returned(ReturnedMessage(method)))
    case AMQP_BASIC_ACK_METHOD:
      let method = decoded.load(as: amqp_basic_ack_t.self)
      return .confirm(tag: method.delivery_tag, multiple: method.multiple != 0, isAck: true)
    case AMQP_BASIC_NACK_METHOD:
      let method = decoded.load(as: amqp_basic_nack_t.self)
      return .confirm(tag: method.delivery_tag, multiple: method.multiple != 0, isAck: false)
    case AMQP_BASIC_CANCEL_METHOD:
      let method = decoded.load(as: amqp_basic_cancel_t.self)
      return .consumerCancelled(tag: method.consumer_tag.repairedText, wantsAnswer: method.nowait == 0)
    default: return nil
    }
  }

  private static func readReply(_ id: amqp_method_number_t, _ decoded: UnsafeMutableRawPointer) -> Reply? {
    switch id {
    case AMQP_CHANNEL_OPEN_OK_METHOD: return .channelOpened
    case AMQP_CONFIRM_SELECT_OK_METHOD: return .confirmsSelected
    case AMQP_EXCHANGE_DECLARE_OK_METHOD: return .exchangeDeclared
    case AMQP_EXCHANGE_DELETE_OK_METHOD: return .exchangeDeleted
    case AMQP_QUEUE_DECLARE_OK_METHOD:
      return .queueDeclared(QueueDeclared(decoded.load(as: amqp_queue_declare_ok_t.self)))
    case AMQP_QUEUE_BIND_OK_METHOD: return .bound
    case AMQP_QUEUE_DELETE_OK_METHOD: return .queueDeleted
    case AMQP_BASIC_QOS_OK_METHOD: return .prefetchLimited
    case AMQP_BASIC_CONSUME_OK_METHOD:
      return .consuming(tag: decoded.load(as: amqp_basic_consume_ok_t.self).consumer_tag.repairedText)
    case AMQP_BASIC_CANCEL_OK_METHOD:
      return .cancelled(tag: decoded.load(as: amqp_basic_cancel_ok_t.self).consumer_tag.repairedText)
    default: return nil
    }
  }

  private static func readConnection(_ id: amqp_method_number_t, _ decoded: UnsafeMutableRawPointer) -> Incoming? {
    switch id {
    case AMQP_CONNECTION_BLOCKED_METHOD:
      return .blocked(reason: decoded.load(as: amqp_connection_blocked_t.self).reason.repairedText)
    case AMQP_CONNECTION_UNBLOCKED_METHOD: return .unblocked
    case AMQP_CHANNEL_FLOW_METHOD: return .flow(isActive: decoded.load(as: amqp_channel_flow_t.self).active != 0)
    case AMQP_CHANNEL_CLOSE_METHOD:
      let method = decoded.load(as: amqp_channel_close_t.self)
      let reason = amqp_method_number_t(method.class_id) << 16 | amqp_method_number_t(method.method_id)
      return .channelClosed(
        code: method.reply_code, text: method.reply_text.repairedText,
        isByPublish: reason == AMQP_BASIC_PUBLISH_METHOD)
    case AMQP_CONNECTION_CLOSE_METHOD:
      let method = decoded.load(as: amqp_connection_close_t.self)
      return .connectionClosed(code: method.reply_code, text: method.reply_text.repairedText)
    case AMQP_CONNECTION_CLOSE_OK_METHOD: return .closeAnswered
    default: return nil
    }
  }
}

extension DeliveryHead {
  fileprivate init(_ method: amqp_basic_deliver_t) {
    self.init(
      consumerTag: method.consumer_tag.repairedText, deliveryTag: method.delivery_tag,
      isRedelivered: method.redelivered != 0, exchange: method.exchange.repairedText,
      routingKey: method.routing_key.repairedText)
  }
}

extension ReturnedMessage {
  fileprivate init(_ method: amqp_basic_return_t) {
    self.init(
      code: method.reply_code, text: method.reply_text.repairedText, exchange: method.exchange.repairedText,
      routingKey: method.routing_key.repairedText)
  }
}

extension QueueDeclared {
  fileprivate init(_ method: amqp_queue_declare_ok_t) {
    self.init(
      name: method.queue.repairedText, messageCount: Int(method.message_count),
      consumerCount: Int(method.consumer_count))
  }
}
