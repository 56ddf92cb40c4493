import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import TellerHealth

@Suite("Asking for health")
struct HealthProbeTests {
  @Test("where nobody listens, the error says so")
  func nobody() async throws {
    // The port for discarding what comes; nobody on this machine offers that.
    let address = HealthAddress(host: "127.0.0.1", port: 9)
    await #expect(throws: HealthProbeError("connection refused")) {
      try await HealthProbe.ask(address, within: patience)
    }
  }

  @Test("an answer that is too large is not read to its end")
  func tooLarge() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(LargeAnswer()) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let address = HealthAddress(host: "127.0.0.1", port: try #require(server.localAddress?.port))
    await #expect(throws: HealthProbeError("its answer is larger than 65536 bytes")) {
      try await HealthProbe.ask(address, within: patience)
    }
    try await server.close()
  }
}

/// Answers whatever comes with 256 KiB, which arrive in many parts.
private final class LargeAnswer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let size = 256 * 1024
    var answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: \(size)\r\n\r\n")
    answer.writeRepeatingByte(UInt8(ascii: "x"), count: size)
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
  }
}
