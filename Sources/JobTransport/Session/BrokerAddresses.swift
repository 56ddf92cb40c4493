import AMQP

/// Which of a broker's nodes is asked next. A pure value.
///
/// Each process begins at one of them as chance has it, so that the nodes share them; one that does not answer, or whose
/// connection is lost, is left for the next in the line.
struct BrokerAddresses {
  private let all: [BrokerAddress]
  private var index: Int
  /// How many have failed one after the other since one has answered.
  private var failures = 0

  /// While none has been asked in vain, one that does not answer must not keep the others waiting: it has this long to
  /// accept a connection and log in. Later each has the full time: perhaps all are slow.
  static let firstRoundLimit: Duration = .seconds(4)

  init(_ url: BrokerURL, using generator: inout some RandomNumberGenerator) {
    all = url.addresses
    index = Int.random(in: all.indices, using: &generator)
  }

  var current: BrokerAddress { all[index] }
  var hasOthers: Bool { all.count > 1 }

  /// How long the present one may take to accept a connection.
  func limit(atMost limit: Duration) -> Duration {
    hasOthers && failures < all.count ? min(limit, BrokerAddresses.firstRoundLimit) : limit
  }

  /// The present one has accepted all connections.
  mutating func opened() { failures = 0 }

  /// The connections to the present one are lost, or did not come about.
  ///
  /// - Returns: whether the next may be asked at once: it has not been asked in vain in this round.
  mutating func lost(_ loss: BrokerLoss) -> Bool {
    guard hasOthers, loss.concernsNode else { return false }
    failures += 1
    index = (index + 1) % all.count
    guard case .notOpened = loss else { return false }
    return failures % all.count != 0
  }
}

extension BrokerLoss {
  /// Whether another node of the broker may do better; what is refused by one is refused by all.
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
