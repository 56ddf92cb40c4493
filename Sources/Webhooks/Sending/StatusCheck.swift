package import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server has answered with a status below 100. HTTP has none (RFC 9110, section 15).
package struct ImpossibleStatus: Error, Hashable, CustomStringConvertible {
  /// What it answered.
  package let code: UInt

  package var description: String { "it answered with the status \(code), which HTTP does not have" }
}

extension HTTPClient {
  /// The one place where `teller` makes an HTTP client: a request whose answer has a status that HTTP does not have fails
  /// with ``ImpossibleStatus``. Without that, the client would end the process.
  ///
  /// - Parameter configuration: What counts but for the version of HTTP: an answer over HTTP/2 would not be checked.
  /// - Returns: A client, to be shut down unless it lives as long as the process.
  package static func checked(_ configuration: Configuration) -> HTTPClient {
    var configuration = configuration
    configuration.httpVersion = .http1Only
    let begin = configuration.http1_1ConnectionDebugInitializer
    configuration.http1_1ConnectionDebugInitializer = { channel in
      guard let begin else { return StatusCheck.add(to: channel) }
      return begin(channel).flatMap { StatusCheck.add(to: channel) }
    }
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }
}

/// Ends the connection of a server that answers with a status below 100.
private final class StatusCheck: ChannelInboundHandler {
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
    context.fireErrorCaught(ImpossibleStatus(code: head.status.code))
    context.close(promise: nil)
  }
}
