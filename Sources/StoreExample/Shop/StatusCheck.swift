import NIOCore
import NIOHTTP1

/// Ends the connection of a shop that answers with a status below 100. HTTP has none (RFC 9110, section 15), and
/// async-http-client would end the process over it.
///
/// `teller` has the same for its webhooks. The store is a program of a user's, and sees nothing of that.
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
    context.fireErrorCaught(ShopError.refused(status: Int(head.status.code)))
    context.close(promise: nil)
  }
}
