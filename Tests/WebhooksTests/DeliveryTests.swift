import Decisions
import Foundation
import HTTPSupport
import JobModel
import Synchronization
import Teller
import TestSupport
import Testing

@testable import Webhooks

/// Answers look-ups as a test says: each answer once, the last one for ever.
private final class Answers: Sendable {
  private let left: Mutex<[[String]]>
  private let asked = Mutex<[String]>([])

  init(_ answers: [String]...) { left = Mutex(answers) }

  var names: [String] { asked.withLock(\.self) }

  var resolver: Resolver {
    Resolver { name in
      self.asked.withLock { $0.append(name) }
      return self.left.withLock { left in left.count > 1 ? left.removeFirst() : left[0] }.compactMap { IPAddress($0) }
    }
  }
}

@Suite("A delivery", .timeLimit(.minutes(5)))
struct DeliveryTests {
  private let payload = Array(#"{"epoch":1,"seq":2,"event":"failed"}"#.utf8)
  private let ok = "HTTP/1.1 204 No Content\r\n\r\n"
  /// No resolver of any system knows it (RFC 6761).
  private let name = "receiver.invalid"

  private func webhook(
    _ host: String, port: Int, allow: [String] = [], hosts: Set<String> = [], time: Duration = .seconds(60),
    concurrency: Int = 4
  ) throws -> Webhook {
    let address = try WebhookAddress("http://\(host):\(port)/secret?key=secret")
    let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let settings = WebhookSettings(
      place: .address(address), limits: .init(time: time, concurrency: concurrency, response: 1_000),
      allowed: AllowedDestinations(networks: allow.compactMap { IPNetwork($0) }, hosts: hosts))
    return Webhook(name: "ops", settings: settings, address: address, secrets: [secret])
  }

  private func send(_ webhook: Webhook, _ answers: Answers = Answers([]), attempt: Int = 1) async throws -> Answer {
    let delivery = Delivery(webhook, resolver: answers.resolver)
    let message = try WebhookMessage(payload, for: webhook, seconds: 7)
    do {
      let answer = try await delivery.send(message, attempt: attempt)
      await delivery.close()
      return answer
    } catch {
      await delivery.close()
      throw error
    }
  }

  @Test("is a POST with the payload and its signature, to the address as it is written")
  func request() async throws {
    try await withReceiver(.answers(ok)) { receiver in
      let answer = try await send(try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"]))
      #expect(answer == Answer(status: 204))
      let request = try #require(receiver.requests.first)
      #expect(request.hasPrefix("POST /secret?key=secret HTTP/1.1\r\n"))
      #expect(request.hasSuffix("\r\n\r\n" + String(decoding: payload, as: UTF8.self)))
      #expect(request.contains("webhook-id: 1/2\r\n") && request.contains("webhook-timestamp: 7\r\n"))
      #expect(request.contains("webhook-signature: v1,"))
    }
  }

  @Test("tells the status and Retry-After")
  func status() async throws {
    try await withReceiver(.answers("HTTP/1.1 429 Slow Down\r\nRetry-After: 30\r\ncontent-length: 0\r\n\r\n")) {
      receiver in
      let answer = try await send(try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"]))
      #expect(answer == Answer(status: 429, retryAfter: "30"))
    }
  }

  @Test("fails where the answer has a status that HTTP does not have", arguments: ["000", "001", "042", "099"])
  func noStatus(status: String) async throws {
    try await withReceiver(.answers("HTTP/1.1 \(status) x\r\ncontent-length: 0\r\n\r\n")) { receiver in
      let webhook = try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"])
      let problem = try await problem { try await send(webhook) }
      #expect(problem.message.contains("which HTTP does not have"), "\(problem.message)")
    }
  }

  @Test("follows no redirect")
  func redirect() async throws {
    try await withReceiver(.answers(ok)) { other in
      let redirect = "HTTP/1.1 307 x\r\nlocation: http://127.0.0.1:\(other.port)/\r\ncontent-length: 0\r\n\r\n"
      try await withReceiver(.answers(redirect)) { receiver in
        let answer = try await send(try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"]))
        #expect(answer.status == 307)
        #expect(other.requests.isEmpty)
      }
    }
  }

  @Test("reads a little of an answer, and no more")
  func flood() async throws {
    try await withReceiver(.floods(10_000_000)) { receiver in
      let answer = try await send(try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"]))
      #expect(answer == Answer(status: 200))
      #expect(receiver.flooded < 10_000_000)
    }
  }

  @Test("has an end when the receiver says nothing")
  func hang() async throws {
    try await withReceiver(.hangs) { receiver in
      let webhook = try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"], time: .milliseconds(300))
      await #expect(throws: DeliveryProblem.late(.milliseconds(300))) { try await send(webhook) }
    }
  }

  @Test("waits for no other one: as many are at a slow receiver at once as the webhook allows", arguments: [1, 4, 30])
  func concurrency(count: Int) async throws {
    try await withReceiver(.hangs) { receiver in
      let webhook = try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"], concurrency: count)
      let delivery = Delivery(webhook, resolver: Answers([]).resolver)
      let message = try WebhookMessage(payload, for: webhook, seconds: 7)
      let deliveries = (1...count).map { _ in Task { try await delivery.send(message, attempt: 1) } }
      try await eventually("all have arrived", within: .seconds(50)) { receiver.requests.count == count }
      for delivery in deliveries { delivery.cancel() }
      for delivery in deliveries { await #expect(throws: CancellationError.self) { try await delivery.value } }
      await delivery.close()
    }
  }

  @Test("fails when the connection is refused, or closed early, with words that have no path")
  func unreachable() async throws {
    try await withReceiver(.closes) { receiver in
      let webhook = try webhook("127.0.0.1", port: receiver.port, allow: ["127.0.0.1"])
      let closed = try await problem { try await send(webhook) }
      #expect(closed.message.hasSuffix("it closed the connection before it answered"), "\(closed.message)")
      try await receiver.close()
      let refused = try await problem { try await send(webhook) }
      #expect(refused.message.contains("Connection refused"), "\(refused.message)")
    }
  }

  private func problem(_ body: () async throws -> Answer) async throws -> RetryLater {
    let problem = try await #require(throws: DeliveryProblem.self) { _ = try await body() }
    let failure = problem.failure(of: try webhook("127.0.0.1", port: 1, allow: ["127.0.0.1"]))
    #expect(!failure.message.contains("secret"))
    return failure
  }

  @Test("goes to the address that was looked up and judged: nobody looks the name up again")
  func pinned() async throws {
    try await withReceiver(.answers(ok)) { receiver in
      let answers = Answers(["127.0.0.1"])
      let answer = try await send(try webhook(name, port: receiver.port, hosts: [name]), answers)
      #expect(answer.status == 204)
      #expect(answers.names == [name])
      #expect(receiver.requests.first?.contains("host: \(name):\(receiver.port)\r\n") == true)
    }
  }

  @Test("is refused as soon as the name stands for an address inside, with the next attempt already")
  func rebinding() async throws {
    try await withReceiver(.answers(ok)) { receiver in
      let answers = Answers(["127.0.0.2"], ["127.0.0.1"])
      let webhook = try webhook(name, port: receiver.port, allow: ["127.0.0.2"])
      let delivery = Delivery(webhook, resolver: answers.resolver)
      let message = try WebhookMessage(payload, for: webhook, seconds: 7)
      // Nobody listens there, and that is tried: it is allowed.
      await #expect(throws: DeliveryProblem.unreachable("Connection refused")) {
        try await delivery.send(message, attempt: 1)
      }
      let loopback = try #require(IPAddress("127.0.0.1"))
      await #expect(throws: DeliveryProblem.forbidden(loopback, .loopback)) {
        try await delivery.send(message, attempt: 2)
      }
      await delivery.close()
      #expect(receiver.requests.isEmpty)
    }
  }

  @Test(
    "is refused for every name of an address inside",
    arguments: [
      ["10.0.0.1"], ["127.0.0.1"], ["169.254.169.254"], ["::1"], ["fd00::1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"],
      ["0.0.0.0"], ["::"], ["100.64.0.1"], ["192.168.0.1", "10.0.0.1"],
    ])
  func forbidden(addresses: [String]) async throws {
    let first = try #require(IPAddress(addresses[0]))
    await #expect(throws: DeliveryProblem.forbidden(first, AddressKind(of: first))) {
      try await send(try webhook(name, port: 80), Answers(addresses))
    }
  }

  @Test("passes over an address that it may not reach, and one that takes no connection", arguments: 1...3)
  func several(attempt: Int) async throws {
    try await withReceiver(.answers(ok)) { receiver in
      let webhook = try webhook(name, port: receiver.port, allow: ["127.0.0.0/30"])
      // Nobody listens at the second.
      let answers = Answers(["10.0.0.1", "127.0.0.2", "127.0.0.1"])
      #expect(try await send(webhook, answers, attempt: attempt).status == 204)
      #expect(receiver.requests.count == 1)
    }
  }

  @Test("goes to no other address once it was sent: the receiver may have it")
  func sentOnce() async throws {
    try await withReceiver(.closes) { receiver in
      let webhook = try webhook(name, port: receiver.port, allow: ["127.0.0.0/30"])
      let answers = Answers(["127.0.0.1", "127.0.0.2", "127.0.0.1"])
      let problem = try await problem { try await send(webhook, answers) }
      #expect(problem.message.hasSuffix("it closed the connection before it answered"), "\(problem.message)")
      #expect(receiver.requests.count == 1)
    }
  }

  @Test("the system's own resolver is asked where no test stands in its place")
  func system() async throws {
    let loopback = try #require(IPAddress("127.0.0.1"))
    #expect(try await Resolver.system.addresses("localhost").contains { AddressKind(of: $0) == .loopback })
    #expect(try await Resolver.system.addresses("127.0.0.1") == [loopback])
    await #expect(throws: DeliveryProblem.self) { try await Resolver.system.addresses(name) }
  }
}
