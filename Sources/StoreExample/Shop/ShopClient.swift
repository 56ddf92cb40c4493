import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Teller

/// Asks the shop, over HTTP. Every request has a limit of time, and every answer one of size.
///
/// URLSession would do for a few requests. On Linux it reads an answer as a whole, though, before anybody could say that it
/// is too large, and it follows redirects to other machines; async-http-client, which `teller webhooks` has brought along
/// already, hands out the parts as they come.
struct ShopClient: Sendable {
  /// Where the shop is, such as `http://127.0.0.1:8090`.
  let address: URL
  /// How long a request may take, to the end of its answer.
  var limit: Duration = .seconds(10)

  /// The largest answer that is read at once.
  static let answerLimit = 256 * 1024

  /// Never shut down: it lives as long as the process.
  private static let http: HTTPClient = {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = .seconds(5)
    // Of its own accord the client has 8 connections to a host: further tellers would wait for one, and be late.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = WorkerError.mostTellers
    configuration.httpVersion = .http1Only
    configuration.http1_1ConnectionDebugInitializer = { StatusCheck.add(to: $0) }
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
  }()

  /// The names of the sections.
  func sections() async throws -> [String] { try await read("/sections") }
  /// A section as it is now.
  func section(_ name: String) async throws -> Section { try await read("/sections/\(try Self.word(name))") }

  /// The changes of a section with these numbers.
  func updates(of name: String, _ numbers: ClosedRange<Int64>) async throws -> [OrderedUpdate<Repricing>] {
    try await read("/sections/\(try Self.word(name))/updates/\(numbers.lowerBound)/\(numbers.upperBound)")
  }

  /// Has the shop number a change.
  func reprice(_ name: String, _ request: RepricingRequest) async throws -> OrderedUpdate<Repricing> {
    let path = "/sections/\(try Self.word(name))/updates"
    return try Self.decode(try await post(try JSONEncoder().encode(request), to: try url(path)), path)
  }

  /// The texts in the shop's chat.
  func messages() async throws -> [String] { try await read("/chat") }

  /// Sends a message to a chat that takes what Slack takes. A receiver that knows ids takes the same one once.
  func say(_ text: String, id: String, in chat: URL?) async throws {
    let body = try JSONEncoder().encode(ChatMessage(text: text))
    _ = try await post(body, to: try chat ?? url("/chat"), id: id)
  }

  /// Hands out a picture part by part, as it comes.
  func picture(_ path: String, _ begin: (_ type: String?) throws -> Void, _ part: (ByteBuffer) throws -> Void)
    async throws
  {
    let answer = try await send(HTTPClientRequest(url: try url(path).absoluteString))
    try begin(answer.headers.first(name: "content-type"))
    for try await bytes in answer.body { try part(bytes) }
  }

  private func read<Value: Decodable>(_ path: String) async throws -> Value {
    let answer = try await send(HTTPClientRequest(url: try url(path).absoluteString))
    return try Self.decode(Data(try await answer.body.collect(upTo: Self.answerLimit).readableBytesView), path)
  }

  private func post(_ body: Data, to url: URL, id: String? = nil) async throws -> Data {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "content-type", value: "application/json")
    if let id { request.headers.add(name: "webhook-id", value: id) }
    request.body = .bytes(body)
    // The body is read, too: an answer that breaks off is none.
    return Data(try await send(request).body.collect(upTo: Self.answerLimit).readableBytesView)
  }

  private func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    let answer = try await Self.http.execute(request, timeout: .nanoseconds(Int64(limit / .nanoseconds(1))))
    guard (200..<300).contains(answer.status.code) else { throw ShopError.refused(status: Int(answer.status.code)) }
    return answer
  }

  /// An address in the shop, and nowhere else: what the shop names is only ever a path of its own.
  private func url(_ path: String) throws -> URL {
    guard path.hasPrefix("/"), !path.hasPrefix("//"), let url = URL(string: address.absoluteString + path) else {
      throw ShopError.notOfTheShop(path)
    }
    return url
  }

  private static func word(_ name: String) throws -> String {
    guard let word = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics), !word.isEmpty else {
      throw ShopError.notOfTheShop(name)
    }
    return word
  }

  private static func decode<Value: Decodable>(_ data: Data, _ path: String) throws -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch {
      throw ShopError.notUnderstood(path)
    }
  }
}
