package import AMQP

/// The node of a broker that is tried next. A pure value.
///
/// Each process begins at a random node, so that the nodes share the processes. It goes on to the next node in the line
/// when a node does not answer, or its connection is lost.
struct BrokerAddresses {
  private let all: [BrokerAddress]
  private let firstRoundLimit: Duration
  private var index: Int
  /// How many nodes have failed one after the other.
  private var failures = 0

  /// How long a node has in the first round to accept a connection and log in: a node that does not answer must not keep
  /// the others waiting. In later rounds each node has the full time: perhaps all are slow.
  static let firstRoundLimit: Duration = .seconds(4)

  init(
    _ url: BrokerURL, firstRoundLimit: Duration = BrokerAddresses.firstRoundLimit,
    using generator: inout some RandomNumberGenerator
  ) {
    all = url.addresses
    self.firstRoundLimit = firstRoundLimit
    index = Int.random(in: all.indices, using: &generator)
  }

  var current: BrokerAddress { all[index] }
  var hasOthers: Bool { all.count > 1 }

  /// How long the present node may take to accept a connection.
  func limit(atMost limit: Duration) -> Duration {
    hasOthers && failures < all.count ? min(limit, firstRoundLimit) : limit
  }

  /// Notes that the present node has accepted all connections.
  mutating func opened() { failures = 0 }

  /// Notes that the connections to the present node are lost, or could not be opened.
  ///
  /// - Returns: whether the next node may be tried at once: it was not tried in this round.
  mutating func lost(_ loss: BrokerLoss) -> Bool {
    guard hasOthers, loss.concernsNode else { return false }
    failures += 1
    index = (index + 1) % all.count
    guard case .notOpened = loss else { return false }
    return failures % all.count != 0
  }
}

extension BrokerLoss {
  /// Whether another node may do better. A refusal by one node is a refusal by all.
  fileprivate var concernsNode: Bool {
    switch self {
    case .notOpened: true
    case .consumerCancelled: false
    case .connection(let error):
      switch error {
      case .cannotConnect, .handshake, .connectionClosed, .connectionLost, .timedOut, .sendTimedOut: true
      default: false
      }
    }
  }
}

extension Connection {
  /// Opens a connection to the first node of a broker that accepts one, and says which.
  ///
  /// - Throws: The error of the last node that was tried.
  package static func open(
    anyOf url: BrokerURL, _ options: ConnectionOptions
  ) async throws(AMQPError) -> (Connection, node: BrokerURL) {
    var generator = SystemRandomNumberGenerator()
    var addresses = BrokerAddresses(url, using: &generator)
    while true {
      let node = url.at(addresses.current)
      do throws(AMQPError) {
        var limited = options
        limited.handshakeTimeout = addresses.limit(atMost: options.handshakeTimeout)
        return (try await open(node, options: limited), node)
      } catch {
        guard addresses.lost(.notOpened(error)) else { throw error }
      }
    }
  }
}
