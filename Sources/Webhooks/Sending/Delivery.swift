import AsyncHTTPClient
import Decisions
import Foundation
import JobModel
import NIOCore
import NIOHTTP1
import Processes

/// Sends messages to the receiver of one webhook.
struct Delivery: Sendable {
  let webhook: Webhook
  private let resolver: Resolver
  private let clients: Clients

  init(_ webhook: Webhook, resolver: Resolver) {
    (self.webhook, self.resolver) = (webhook, resolver)
    clients = Clients(host: webhook.address.host, limits: webhook.settings.limits)
  }

  /// Ends the connections.
  func close() async { await clients.close() }

  /// Sends a message, and reads the answer, within the webhook's limits.
  ///
  /// - Parameters:
  ///   - message: As it is sent.
  ///   - attempt: From 1. Of several addresses each attempt begins with the next.
  /// - Returns: The answer, of which only the head counts.
  /// - Throws: ``DeliveryProblem``; `CancellationError`.
  func send(_ message: WebhookMessage, attempt: Int) async throws -> Answer {
    let limit = webhook.settings.limits.time
    do {
      return try await within(limit, orThrow: { DeliveryProblem.late(limit) }) {
        let addresses = try await addresses(attempt: attempt)
        try Delivery.checkDescriptors()
        return try await send(message, to: addresses)
      }
    } catch {
      try Task.checkCancellation()
      throw DeliveryProblem(error, within: limit)
    }
  }

  /// So many file descriptors are left when a connection is made. What is served leaves more of them; a limit may be lowered.
  private static let descriptorsLeft = 2 * Descriptors.last

  private static func checkDescriptors() throws(DeliveryProblem) {
    guard Descriptors.left.count < descriptorsLeft else { return }
    throw .unreachable("too few file descriptors are left; raise the limit (LimitNOFILE=, ulimit -n)")
  }

  /// The most addresses of an attempt.
  private static let mostAddresses = 4

  /// The addresses to connect to: looked up and judged anew for each attempt, and not looked up again by anybody.
  private func addresses(attempt: Int) async throws -> [IPAddress] {
    let host = webhook.address.host
    let all = if let literal = IPAddress(host) { [literal] } else { try await resolver.addresses(host) }
    let allowed = all.filter { webhook.settings.allowed.refusal(of: $0, as: host) == nil }
    if !allowed.isEmpty {
      let first = (attempt - 1) % allowed.count
      return Array((allowed[first...] + allowed[..<first]).prefix(Delivery.mostAddresses))
    }
    guard let first = all.first, let kind = webhook.settings.allowed.refusal(of: first, as: host) else {
      throw DeliveryProblem.unreachable("its name has no address")
    }
    throw DeliveryProblem.forbidden(first, kind)
  }

  /// To the first address that takes a connection. To those before it nothing was sent.
  private func send(_ message: WebhookMessage, to addresses: [IPAddress]) async throws -> Answer {
    var rest = addresses[...]
    while let address = rest.popFirst() {
      do {
        return try await clients.with(address, of: addresses.count) { try await send(message, by: $0) }
      } catch  where DeliveryProblem.isWithoutConnection(error) && !rest.isEmpty && !Task.isCancelled {
        continue
      }
    }
    throw DeliveryProblem.unreachable("its name has no address")
  }

  private func send(_ message: WebhookMessage, by client: HTTPClient) async throws -> Answer {
    var request = HTTPClientRequest(url: webhook.address.url)
    request.method = .POST
    for header in message.headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .bytes(ByteBuffer(bytes: message.body))
    let response = try await client.execute(request, timeout: TimeAmount(webhook.settings.limits.time))
    await read(response.body)
    return Answer(status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"))
  }

  /// Reads as much of the answer as is allowed, so that the connection can be used again; a longer answer ends it. The
  /// status counts, whatever becomes of the rest.
  private func read(_ body: HTTPClientResponse.Body) async {
    var room = webhook.settings.limits.response
    do {
      for try await part in body {
        room -= part.readableBytes
        if room < 0 { return }
      }
    } catch {}
  }
}
