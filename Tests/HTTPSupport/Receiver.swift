import NIOCore
import NIOPosix
import Synchronization

/// A server over HTTP that does as a test wants, byte by byte: a receiver of webhooks, a shop, or who else is asked.
package final class Receiver: Sendable {
  /// What it does with a request.
  package enum Conduct: Sendable {
    /// Sends these bytes, and closes.
    case answers(String)
    /// Sends a head, and then so many bytes, and closes.
    case floods(Int)
    /// Says nothing.
    case hangs
    /// Closes without a word.
    case closes
  }

  /// What its connections share.
  private final class Book: Sendable {
    let conduct: Conduct
    let requests = Mutex<[String]>([])
    let flooded = Atomic(0)

    init(_ conduct: Conduct) { self.conduct = conduct }
  }

  private let channel: any Channel
  private let book: Book

  /// Listens on a free port of 127.0.0.1.
  fileprivate static func start(_ conduct: Conduct) async throws -> Receiver {
    let book = Book(conduct)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Connection(book)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return Receiver(channel, book)
  }

  private init(_ channel: any Channel, _ book: Book) { (self.channel, self.book) = (channel, book) }

  /// Where it listens.
  package var port: Int { channel.localAddress?.port ?? 0 }
  /// Every request so far.
  package var requests: [String] { book.requests.withLock(\.self) }
  /// How many bytes of a flood were taken from it.
  package var flooded: Int { book.flooded.load(ordering: .relaxed) }

  /// Listens no more.
  package func close() async throws {
    if channel.isActive { try await channel.close() }
  }

  /// One connection of it.
  private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let book: Book
    private var text = ""

    init(_ book: Book) { self.book = book }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      guard let end = text.firstRange(of: "\r\n\r\n") else { return }
      let length = text[..<end.lowerBound].split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("content-length:")
      }
      let wanted = length.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
      guard text[end.upperBound...].utf8.count >= wanted else { return }
      book.requests.withLock { $0.append(text) }
      text = ""
      act(book.conduct, context)
    }

    private func act(_ conduct: Conduct, _ context: ChannelHandlerContext) {
      switch conduct {
      case .hangs: break
      case .closes: context.close(promise: nil)
      case .answers(let text):
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        context.close(promise: nil)
      case .floods(let size):
        let head = "HTTP/1.1 200 OK\r\ncontent-length: \(size)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
        flood(size, context)
      }
    }

    private static let part = 1 << 14

    private func flood(_ left: Int, _ context: ChannelHandlerContext) {
      guard left > 0 else { return context.close(promise: nil) }
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let size = min(left, Connection.part)
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 0x78, count: size))).whenSuccess {
        bound.value.0.book.flooded.add(size, ordering: .relaxed)
        bound.value.0.flood(left - size, bound.value.1)
      }
    }
  }
}

/// Runs a test with such a server.
package func withReceiver(_ conduct: Receiver.Conduct, _ body: (Receiver) async throws -> Void) async throws {
  let receiver = try await Receiver.start(conduct)
  do {
    try await body(receiver)
    try await receiver.close()
  } catch {
    try? await receiver.close()
    throw error
  }
}
