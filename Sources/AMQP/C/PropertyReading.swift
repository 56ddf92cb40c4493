internal import CRabbitMQ

extension MessageProperties {
  /// Copies the properties out of the C library's memory. One that cannot be read is missing, and `problems` says why.
  init(_ wire: amqp_basic_properties_t, limits: HeaderLimits) {
    self.init()
    var reader = PropertyReader(flags: wire._flags)
    contentType = reader.text(wire.content_type, AMQP_BASIC_CONTENT_TYPE_FLAG, "the content type")
    contentEncoding = reader.text(wire.content_encoding, AMQP_BASIC_CONTENT_ENCODING_FLAG, "the content encoding")
    correlationID = reader.text(wire.correlation_id, AMQP_BASIC_CORRELATION_ID_FLAG, "the correlation id")
    replyTo = reader.text(wire.reply_to, AMQP_BASIC_REPLY_TO_FLAG, "the reply-to address")
    expiration = reader.text(wire.expiration, AMQP_BASIC_EXPIRATION_FLAG, "the expiration")
    messageID = reader.text(wire.message_id, AMQP_BASIC_MESSAGE_ID_FLAG, "the message id")
    type = reader.text(wire.type, AMQP_BASIC_TYPE_FLAG, "the type")
    userID = reader.text(wire.user_id, AMQP_BASIC_USER_ID_FLAG, "the user id")
    appID = reader.text(wire.app_id, AMQP_BASIC_APP_ID_FLAG, "the application id")
    deliveryMode = reader.has(AMQP_BASIC_DELIVERY_MODE_FLAG) ? wire.delivery_mode : nil
    priority = reader.has(AMQP_BASIC_PRIORITY_FLAG) ? wire.priority : nil
    timestamp = reader.has(AMQP_BASIC_TIMESTAMP_FLAG) ? wire.timestamp : nil
    problems = reader.problems
    guard reader.has(AMQP_BASIC_HEADERS_FLAG) else { return }
    var tableReader = TableReader(limits: limits)
    headers = tableReader.read(wire.headers)
    problems += tableReader.problems
  }
}

private struct PropertyReader {
  let flags: amqp_flags_t
  var problems: [PropertyProblem] = []

  init(flags: amqp_flags_t) { self.flags = flags }

  func has(_ flag: Int32) -> Bool { flags & amqp_flags_t(flag) != 0 }

  mutating func text(_ bytes: amqp_bytes_t, _ flag: Int32, _ property: String) -> String? {
    guard has(flag) else { return nil }
    if let text = bytes.text { return text }
    problems.append(.notUTF8(property: property))
    return nil
  }
}
