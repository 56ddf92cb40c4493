/// What a frame from the broker says, in Swift's own values.
enum Incoming {
  case message(MessageHead)
  case header(MessageProperties, bodySize: UInt64)
  /// The bytes are valid until the next frame is read.
  case body(UnsafeRawBufferPointer)
  case settled(tag: UInt64, multiple: Bool, isAck: Bool)
  case reply(Reply)
  /// The broker ended a consumer; it wants an answer unless it says otherwise.
  case consumerCancelled(tag: String, wantsAnswer: Bool)
  case flow(isActive: Bool)
  case blocked(reason: String)
  case unblocked
  case channelClosed(code: UInt16, text: String)
  case connectionClosed(code: UInt16, text: String)
  case closeAnswered
  /// A method that has no place in what this client does.
  case unknown(method: UInt32)
}
