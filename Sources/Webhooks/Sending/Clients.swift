import AsyncHTTPClient
import Decisions
import Foundation
import Logging
import NIOCore
import Synchronization

/// The HTTP clients of a webhook: one for each address that its receiver has, and for the time that it has to connect. A client connects to that address and no other,
/// whatever the name stands for by then, and TLS asks for the name.
final class Clients: Sendable {
  private struct Place: Hashable {
    let address: IPAddress
    /// How many addresses share the time of a delivery.
    let sharers: Int
  }

  private struct Entry {
    let client: HTTPClient
    var uses = 0
  }

  /// How many clients are kept that nobody uses, for their connections.
  private static let kept = 2
  /// How long a connection is kept that nobody uses. Receivers close theirs after some time, too, and a request that meets
  /// the end of a connection fails.
  private static let idleLimit: TimeAmount = .seconds(2)
  /// How long a connection may take to be made, TLS included.
  private static let connectLimit: TimeAmount = .seconds(10)

  private let host: String
  private let limits: WebhookSettings.Limits
  private let entries = Mutex<[Place: Entry]>([:])

  /// Each request that is under way has a connection of its own. HTTPClient alone has 8, and a request that waits for one of
  /// them would be late at a receiver that is only slow.
  init(host: String, limits: WebhookSettings.Limits) { (self.host, self.limits) = (host, limits) }

  /// Runs the body with the client for an address. `count`: how many addresses share the delivery's time.
  func with<Value: Sendable>(
    _ address: IPAddress, of count: Int, _ body: (HTTPClient) async throws -> Value
  ) async throws -> Value {
    let place = Place(address: address, sharers: count)
    let client = entries.withLock { entries in
      let client = entries[place]?.client ?? self.client(at: place)
      entries[place, default: Entry(client: client)].uses += 1
      return client
    }
    do {
      let value = try await body(client)
      await release(place)
      return value
    } catch {
      await release(place)
      throw error
    }
  }

  private func release(_ place: Place) async {
    let leaving = entries.withLock { entries -> HTTPClient? in
      entries[place]?.uses -= 1
      let idle = entries.filter { $0.value.uses == 0 }
      guard idle.count > Clients.kept, let other = idle.first(where: { $0.key != place }) else { return nil }
      entries[other.key] = nil
      return other.value.client
    }
    try? await leaving?.shutdown()
  }

  /// Ends all of them. Nobody uses one any more.
  func close() async {
    let all = entries.withLock { entries in
      defer { entries = [:] }
      return entries.values.map(\.client)
    }
    for client in all { try? await client.shutdown() }
  }

  private func client(at place: Place) -> HTTPClient {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: min(Clients.connectLimit, TimeAmount(limits.time / place.sharers))),
      connectionPool: .init(
        idleTimeout: Clients.idleLimit, concurrentHTTP1ConnectionsPerHostSoftLimit: limits.concurrency))
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.dnsOverride = [host: place.address.description]
    // A span would have the whole address.
    configuration.tracing.tracer = nil
    // Where the name is not found in the override, the client would look it up itself.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
      if peer == place.address { return channel.eventLoop.makeSucceededVoidFuture() }
      return channel.eventLoop.makeFailedFuture(DeliveryProblem.unreachable("it was connected to another address"))
    }
    return .checked(configuration)
  }
}
