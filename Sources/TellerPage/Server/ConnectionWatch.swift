import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive, is far too large, or whose browser takes nothing of what is sent.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: PageLimits
  private let connections: PageConnections
  private var arrival: Scheduled<Void>?
  private var writing: Scheduled<Void>?
  private var received = 0

  init(_ limits: PageLimits, _ connections: PageConnections) { (self.limits, self.connections) = (limits, connections) }

  func handlerAdded(context: ChannelHandlerContext) {
    connections.enter(context.channel)
    // Else the machine keeps some megabytes for each browser that does not read.
    _ = context.channel.setOption(ChannelOptions.socketOption(.so_sndbuf), value: .init(limits.sendBuffer))
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    arrival?.cancel()
    writing?.cancel()
    connections.leave(context.channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      connections.asked(context.channel)
      received = 0
      arrival?.cancel()
      arrival = closing(context.channel, in: limits.arrival)
    case .body(let bytes):
      received += bytes.readableBytes
      if received > limits.thrownAway { return context.close(promise: nil) }
    case .end: arrival?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { connections.answered(context.channel) }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    writing?.cancel()
    writing = context.channel.isWritable ? nil : closing(context.channel, in: limits.write)
    context.fireChannelWritabilityChanged()
  }

  private func closing(_ channel: any Channel, in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
