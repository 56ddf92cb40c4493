import Foundation
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Teller

/// A small shop over HTTP, for playing and for tests: sections, pictures, and a chat that takes what Slack takes.
///
/// | request | answer |
/// |---|---|
/// | `GET /sections` | the names |
/// | `GET /sections/NAME` | a ``Section`` |
/// | `GET /sections/NAME/updates/FROM/TO` | its numbered changes |
/// | `POST /sections/NAME/updates` | a ``RepricingRequest`` becomes a numbered change |
/// | `GET /pictures/NAME` | a picture |
/// | `POST /chat` | takes `{"text": "…"}`; a `webhook-id` that was taken before is not taken again |
/// | `GET /chat` | the texts |
struct ShopServer: Sendable {
  let books: ShopBooks
  /// What a picture is; more than one piece in a test of large ones.
  var picture = ShopServer.dot
  var pictureType = "image/png"
  /// Called between the two halves of each picture.
  var betweenHalves: @Sendable () async -> Void = {}

  /// The largest body that is read.
  private static let bodyLimit = 64 * 1024

  /// Serves on a port of 127.0.0.1 while the body runs.
  ///
  /// - Parameters:
  ///   - port: The port; 0: any that is free.
  ///   - body: Gets the address.
  /// - Returns: What the body returns.
  /// - Throws: `ShopError.noServer` when it cannot listen; what the body throws.
  func run<Value: Sendable>(port: Int = 0, _ body: @escaping @Sendable (URL) async throws -> Value) async throws
    -> Value
  {
    let (ports, chosen) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(1))
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        defer { chosen.finish() }
        try await application(port: port) { chosen.yield($0) }.run()
        return nil
      }
      group.addTask {
        for await port in ports {
          guard let address = URL(string: "http://127.0.0.1:\(port)") else { break }
          return try await body(address)
        }
        return nil
      }
      while let end = try await group.next() {
        if let end { return end }
      }
      throw ShopError.noServer
    }
  }

  private func application(port: Int, listening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
    var quiet = Logger(label: "store.shop")
    quiet.logLevel = .critical
    return Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { listening($0.localAddress?.port ?? port) }, logger: quiet)
  }

  private var router: Router<BasicRequestContext> {
    let router = Router()
    router.get("sections") { _, _ in try Self.json(await books.names) }
    router.get("sections/:name") { _, context in
      guard let section = await books.section(try context.parameters.require("name")) else {
        throw HTTPError(.notFound)
      }
      return try Self.json(section)
    }
    router.get("sections/:name/updates/:from/:to") { _, context in
      let (from, to) = try (
        context.parameters.require("from", as: Int64.self), context.parameters.require("to", as: Int64.self)
      )
      guard from <= to else { throw HTTPError(.badRequest) }
      return try Self.json(await books.updates(of: try context.parameters.require("name"), from...to))
    }
    router.post("sections/:name/updates") { request, context in
      let asked: RepricingRequest = try await Self.read(request)
      guard let update = await books.take(asked, of: try context.parameters.require("name")) else {
        throw HTTPError(.notFound)
      }
      return try Self.json(update)
    }
    router.get("pictures/:name") { _, context in await picture(try context.parameters.require("name")) }
    router.get("chat") { _, _ in try Self.json(await books.messages) }
    router.post("chat") { request, _ in try await take(request) }
    return router
  }

  private func picture(_ name: String) async -> Response {
    await books.downloaded(name)
    let bytes = picture
    let body = ResponseBody(contentLength: bytes.count) { writer in
      let half = bytes.count / 2
      try await writer.write(ByteBuffer(bytes: bytes.prefix(half)))
      await betweenHalves()
      try await writer.write(ByteBuffer(bytes: bytes.dropFirst(half)))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: pictureType], body: body)
  }

  private func take(_ request: Request) async throws -> Response {
    let message: ChatMessage = try await Self.read(request)
    let isLost = await books.post(
      message.text, id: request.headers.first { $0.name.canonicalName == "webhook-id" }?.value)
    let body = ResponseBody(contentLength: 2) { writer in
      // The connection ends in the middle of the answer.
      if isLost { throw ShopError.noServer }
      try await writer.write(ByteBuffer(string: "ok"))
      try await writer.finish(nil)
    }
    return Response(status: .ok, body: body)
  }

  private static func json(_ value: some Encodable) throws -> Response {
    let body = ByteBuffer(bytes: try JSONEncoder().encode(value))
    return Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
  }

  private static func read<Value: Decodable>(_ request: Request) async throws -> Value {
    let body = try await request.body.collect(upTo: bodyLimit)
    return try JSONDecoder().decode(Value.self, from: Data(body.readableBytesView))
  }

  /// A picture of one dot.
  static let dot: [UInt8] = Array(
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==") ?? Data())
}
