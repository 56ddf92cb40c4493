import NIOCore
import NIOPosix
import TellerHealth

/// Bytes to a server and what comes back until it closes the connection: for requests that no good client makes.
enum RawConnection {
  static func send(_ text: String, to address: HealthAddress) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var answer = ""
      // A connection that is reset has ended too.
      do { for try await bytes in inbound { answer += String(buffer: bytes) } } catch is IOError {}
      return answer
    }
  }

  /// Asks twice on one connection, and runs the body in between.
  ///
  /// - Returns: the second answer; an empty one when the server has closed the connection.
  static func asking(_ address: HealthAddress, twiceAround body: () async throws -> Void) async throws -> String {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      let question = ByteBuffer(string: "GET /ready HTTP/1.1\r\nhost: \(address)\r\n\r\n")
      var answers = inbound.makeAsyncIterator()
      try await outbound.write(question)
      guard try await answers.next() != nil else { return "" }
      try await body()
      do {
        try await outbound.write(question)
        return try await answers.next().map { String(buffer: $0) } ?? ""
      } catch is ChannelError { return "" } catch is IOError { return "" }
    }
  }

  /// Runs the body while so many connections are open on which nothing is asked.
  static func holding<Value: Sendable>(
    _ count: Int, to address: HealthAddress, _ body: () async throws -> Value
  ) async throws -> Value {
    var channels: [any Channel] = []
    for _ in 0..<count {
      channels.append(
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: address.host, port: address.port).get())
    }
    defer { for channel in channels { channel.close(promise: nil) } }
    return try await body()
  }

  static func request(_ line: String, to address: HealthAddress) async throws -> String {
    try await send("\(line) HTTP/1.1\r\nhost: \(address)\r\nconnection: close\r\n\r\n", to: address)
  }
}
