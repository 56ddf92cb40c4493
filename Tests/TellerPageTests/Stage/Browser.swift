import Foundation
import NIOCore
import NIOPosix
import TellerHealth
import TestSupport

/// Plays a browser, and whoever plays one: every byte of a request is the test's own.
struct Browser: Sendable {
  let address: HealthAddress
  /// What is sent with every request.
  var fields: [String] = ["Sec-Fetch-Site: same-origin"]

  /// An answer, as it came.
  struct Answer: Sendable, CustomStringConvertible {
    let text: String
    let status: Int
    let body: String

    init(_ text: String) {
      self.text = text
      let parts = text.components(separatedBy: "\r\n\r\n")
      status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      body = parts.dropFirst().joined(separator: "\r\n\r\n")
    }

    var description: String { text }

    /// The value of a field; nil: it has none.
    func field(_ name: String) -> String? {
      let head = text.components(separatedBy: "\r\n\r\n").first ?? ""
      let line = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
      return line.map { String($0.dropFirst(name.count + 2)) }
    }

    /// The code of a problem; nil: it is none.
    var code: String? { object(at: "error")?["code"] as? String }
    var message: String { object(at: "error")?["message"] as? String ?? "" }

    /// The members of the body.
    var object: [String: Any]? { (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] }
    var list: [Any]? { (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [Any] }
    private func object(at name: String) -> [String: Any]? { object?[name] as? [String: Any] }
  }

  func get(_ path: String, _ more: [String] = []) async throws -> Answer { try await send("GET", path, more) }

  func post(_ path: String, _ json: String, _ more: [String] = []) async throws -> Answer {
    try await send("POST", path, ["Content-Type: application/json"] + more, json)
  }

  /// A request with these fields and no others but `Host`, unless `fields` has it.
  func send(_ method: String, _ path: String, _ more: [String] = [], _ body: String = "") async throws -> Answer {
    let all = fields + more
    let host = all.contains { $0.lowercased().hasPrefix("host:") } ? [] : ["Host: \(address)"]
    let length = body.isEmpty && method != "POST" ? [] : ["Content-Length: \(body.utf8.count)"]
    let head = ["\(method) \(path) HTTP/1.1"] + host + all + length + ["Connection: close"]
    return Answer(try await raw(head.joined(separator: "\r\n") + "\r\n\r\n" + body))
  }

  /// Sends a text, and gives what comes back until the connection ends.
  func raw(_ text: String) async throws -> String {
    let channel = try await connect()
    return try await limited("the end of an answer to \(text.prefix(80))") {
      try await channel.executeThenClose { inbound, outbound in
        // A server that refuses a request need not read all of it.
        do { try await outbound.write(ByteBuffer(string: text)) } catch is IOError {} catch is ChannelError {}
        var answer = ""
        do { for try await bytes in inbound { answer += String(buffer: bytes) } } catch is IOError {}
        return answer
      }
    }
  }

  func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
  }

  /// A stream of live news while the body runs.
  func stream<Value: Sendable>(
    _ path: String = "/api/live", _ more: [String] = [],
    _ body: @escaping @Sendable (inout LiveReader) async throws -> Value
  ) async throws -> Value {
    let (channel, all) = (try await connect(), fields + more)
    return try await limited("the messages of a stream") {
      try await channel.executeThenClose { inbound, outbound in
        // A refusal ends the connection, as the end of a stream does.
        let head = ["GET \(path) HTTP/1.1", "Host: \(address)", "Connection: close"] + all
        try await outbound.write(ByteBuffer(string: head.joined(separator: "\r\n") + "\r\n\r\n"))
        var reader = LiveReader(inbound)
        return try await body(&reader)
      }
    }
  }
}

/// The messages of a stream, one after the other.
struct LiveReader {
  struct Message: Sendable, Hashable {
    var event: String
    var id: String?
    var data: String

    /// The members of the data.
    var object: [String: Any] {
      ((try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [String: Any]) ?? [:]
    }
    /// The numbers of the events.
    var numbers: [Int] {
      let events = ((try? JSONSerialization.jsonObject(with: Data(data.utf8))) as? [[String: Any]]) ?? []
      return events.compactMap { $0["seq"] as? Int }
    }
  }

  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private var text = ""

  init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) { self.inbound = inbound.makeAsyncIterator() }

  /// The next message; nil: the stream has ended.
  mutating func next() async throws -> Message? {
    while true {
      if let end = text.range(of: "\n\n") {
        let part = String(text[..<end.lowerBound])
        text = String(text[end.upperBound...])
        if let message = LiveReader.message(part) { return message }
      } else {
        do {
          guard let bytes = try await inbound.next() else { return nil }
          // The sizes of pieces stand on lines of their own.
          text.unicodeScalars += String(buffer: bytes).unicodeScalars.filter { $0 != "\r" }
        } catch is IOError { return nil }
      }
    }
  }

  /// The next message of that name; others are passed over.
  mutating func next(_ event: String) async throws -> Message? {
    while let message = try await next() { if message.event == event { return message } }
    return nil
  }

  private static func message(_ text: String) -> Message? {
    var message = Message(event: "", data: "")
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("event: ") { message.event = String(line.dropFirst(7)) }
      if line.hasPrefix("id: ") { message.id = String(line.dropFirst(4)) }
      if line.hasPrefix("data: ") { message.data = String(line.dropFirst(6)) }
    }
    return message.event.isEmpty ? nil : message
  }
}
