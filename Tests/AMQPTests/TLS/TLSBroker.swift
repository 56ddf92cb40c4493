import TestSupport
import Testing

@testable import AMQP

/// Brokers with TLS for these tests: one that everybody may come to, and one for those with a certificate.
enum TLSBroker {
  /// As long as the product asks for the broker's reason.
  static let slowRefusal: Duration = .seconds(5)

  private static let open = Task { try await BrokerNode.start(tls: .everybody) }
  private static let strict = Task { try await BrokerNode.start(tls: .clients) }

  static func node(_ guests: BrokerNode.TLSGuests) async throws -> BrokerNode {
    try await (guests == .everybody ? open : strict).value
  }

  /// A fresh virtual host of that broker, over TLS and with its CA file.
  static func make(_ guests: BrokerNode.TLSGuests = .everybody) async throws -> Broker {
    let node = try await node(guests)
    let plain = try await node.makeVirtualHost()
    return Broker(url: try url(node, of: plain), plainURL: try BrokerURL(plain))
  }

  /// A connection to its first virtual host, over TLS.
  static func connect(
    _ node: BrokerNode, _ change: (inout ConnectionOptions) -> Void = { _ in }
  ) async throws -> Connection {
    try await Broker(url: try url(node, of: node.url)).connect("over TLS", change)
  }

  private static func url(_ node: BrokerNode, of plain: String) throws -> BrokerURL {
    let tls = try #require(node.tls)
    var url = try BrokerURL(tls.url(of: plain))
    url.tls.caFile = tls.ca
    return url
  }
}

extension Broker {
  /// The problem because of which there is no connection. Asked again where the broker took too long to say it, which
  /// passes.
  func problem(_ change: (inout ConnectionOptions) -> Void = { _ in }) async throws -> TLSProblem {
    var error: AMQPError?
    let clock = ContinuousClock()
    let start = clock.now
    var took: Duration
    repeat {
      took = await clock.measure {
        error = await #expect(throws: AMQPError.self) {
          let connection = try await connect("refused", change)
          await connection.close()
        }
      }
    } while error?.isTransient == true && took >= TLSBroker.slowRefusal && clock.now < start + patience
    guard case .tlsFailed(host: url.host, port: url.port, let problem) = error else {
      throw UnexpectedEnd(error: error)
    }
    // Nobody but a person can help; and nothing secret is said.
    #expect(error?.isTransient == false && error?.description.contains(url.password) == false)
    return problem
  }

  struct UnexpectedEnd: Error { let error: AMQPError? }
}
