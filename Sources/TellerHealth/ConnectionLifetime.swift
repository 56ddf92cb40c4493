import NIOCore

/// The limits of a server's connections.
struct ConnectionLimits: Sendable {
  /// How many connections there may be at once. For a further one the oldest without a request is closed.
  var count = 64
  /// How long a connection may be idle.
  var idle = TimeAmount.seconds(3)
  /// How long a connection may last: longer than an answer takes.
  var lifetime = TimeAmount.seconds(5)

  /// How many connections are accepted at once: more than `count`, so that a new one is seen while another is closed.
  var acceptedCount: Int { 2 * count }
}

/// Closes a connection when its lifetime is over, even in the middle of a request: a client that sends its request byte by
/// byte would keep the connection for ever.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let limit: TimeAmount
  private let room: ConnectionRoom
  private var end: Scheduled<Void>?
  private var hasAsked = false

  init(_ limit: TimeAmount, in room: ConnectionRoom) {
    self.limit = limit
    self.room = room
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    room.enter(channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !hasAsked { room.asked(context.channel) }
    hasAsked = true
    context.fireChannelRead(data)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end?.cancel()
    room.leave(context.channel)
  }
}
