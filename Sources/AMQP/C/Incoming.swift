/// The content of one frame from the broker, in Swift's own values.
enum Incoming {
  case message(MessageHead)
  case header(MessageProperties, bodySize: UInt64)
  /// The bytes are valid until the next frame is read.
  case body(UnsafeRawBufferPointer)
  /// The broker acked or nacked a publishing; with `multiple` all earlier publishings too.
  case confirm(tag: UInt64, multiple: Bool, isAck: Bool)
  case reply(Reply)
  /// The broker ended a consumer.
  case consumerCancelled(tag: String, wantsAnswer: Bool)
  case flow(isActive: Bool)
  case blocked(reason: String)
  case unblocked
  /// `isByPublish`: a message of this side was the reason.
  case channelClosed(code: UInt16, text: String, isByPublish: Bool)
  case connectionClosed(code: UInt16, text: String)
  case closeAnswered
  /// A method that the broker never sends to this client.
  case unknown(method: UInt32)
}
