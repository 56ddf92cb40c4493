import Foundation
package import Logging
package import NIOCore
import Processes

/// Keeps a server from taking the last descriptors of its process: while few are left, no connection is accepted. Those that
/// wait are accepted when others have been closed.
///
/// It is the first handler of the server's own channel. NIO alone asks again and again for a connection that cannot be
/// accepted, as fast as it can.
package final class DescriptorGate: ChannelDuplexHandler {
  package typealias InboundIn = any Channel
  package typealias InboundOut = any Channel
  package typealias OutboundIn = Never
  package typealias OutboundOut = Never

  /// How soon it is looked again whether there are enough.
  package static let pause = TimeAmount.seconds(1)
  /// No further line within this time.
  private static let silence = TimeAmount.seconds(60)

  private let logger: Logger
  private let left: @Sendable () -> (count: Int, limit: Int)
  private var isWaiting = false
  private var quietUntil = NIODeadline.uptimeNanoseconds(0)

  package init(_ logger: Logger, left: @escaping @Sendable () -> (count: Int, limit: Int) = { Descriptors.left }) {
    self.logger = logger
    self.left = left
  }

  /// Puts a gate before a server that has begun to listen, and undoes what its first socket has done to SIGPIPE.
  package static func put(before server: any Channel, _ logger: Logger) async {
    passOverBrokenPipesAgain()
    let added = server.eventLoop.submit {
      try server.pipeline.syncOperations.addHandler(DescriptorGate(logger), position: .first)
    }
    // It fails only when the server has ended by now.
    try? await added.get()
  }

  package func read(context: ChannelHandlerContext) {
    let (count, limit) = left()
    guard count < Descriptors.reserve(of: limit) else { return context.read() }
    guard !isWaiting else { return }
    log("\(count) file descriptors of \(limit) are left")
    wait(context) { $0.read(context: $1) }
  }

  /// A connection could not be accepted all the same: others have taken what was left.
  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? IOError, DescriptorGate.shortages.contains(error.errnoCode), !isWaiting {
      log("the system says: \(error)")
      set(autoRead: false, context)
      wait(context) { $0.set(autoRead: true, $1) }
    }
    context.fireErrorCaught(error)
  }

  private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

  private func wait(_ context: ChannelHandlerContext, _ next: @escaping (DescriptorGate, ChannelHandlerContext) -> Void)
  {
    isWaiting = true
    let bound = NIOLoopBound((gate: self, context: context, next: next), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: DescriptorGate.pause) {
      let (gate, context, next) = bound.value
      gate.isWaiting = false
      if context.channel.isActive { next(gate, context) }
    }
  }

  private func set(autoRead: Bool, _ context: ChannelHandlerContext) {
    _ = context.channel.setOption(ChannelOptions.autoRead, value: autoRead)
  }

  private func log(_ problem: String) {
    guard NIODeadline.now() >= quietUntil else { return }
    quietUntil = .now() + DescriptorGate.silence
    logger.warning(
      """
      no connection is accepted until others are closed: \(problem); raise the limit (LimitNOFILE, ulimit -n), or look \
      who holds connections
      """)
  }
}
