import NIOCore
import NIOHTTP1

/// Ends the connection of a receiver that answers with a status below 100. HTTP has none (RFC 9110, section 15), and the
/// client would end the process over it.
final class StatusCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private static let least: UInt = 100
  /// The rest of that answer is passed over.
  private var isEnded = false

  /// Adds one behind the reader of answers of a connection over HTTP/1.1.
  static func add(to channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      let reader = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      try pipeline.addHandler(StatusCheck(), position: .after(reader))
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isEnded { return }
    guard case .head(let head) = unwrapInboundIn(data), head.status.code < StatusCheck.least else {
      return context.fireChannelRead(data)
    }
    isEnded = true
    context.fireErrorCaught(
      DeliveryProblem.unreachable("it answered with the status \(head.status.code), which HTTP does not have"))
    context.close(promise: nil)
  }
}
