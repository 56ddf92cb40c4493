import NIOCore

/// What the connections of a server may take.
struct ConnectionLimits: Sendable {
  /// How many there may be at once; for a further one the oldest that has asked nothing is closed.
  var count = 64
  /// How long one may be idle, and how long it may last at all: longer than an answer takes.
  var idle = TimeAmount.seconds(3)
  var lifetime = TimeAmount.seconds(5)

  /// How many are accepted at once: beyond `count`, so that a further one is seen while another is being closed.
  var acceptedCount: Int { 2 * count }
}

/// Closes a connection when its time is over, whatever is under way on it: somebody who sends a request byte by byte
/// would otherwise have it for ever.
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
