import Foundation

/// A host that is written as an IP address and not as a name.
enum HostAddress: Hashable {
  case four([UInt8])
  case six([UInt8])

  /// - Returns: `nil` for a name.
  init?(_ host: String) {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, host, &four) == 1 {
      self = .four(withUnsafeBytes(of: &four) { Array($0) })
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      self = .six(withUnsafeBytes(of: &six) { Array($0) })
    } else {
      return nil
    }
  }

  /// Whether the address belongs to this machine itself.
  var isLoopback: Bool {
    switch self {
    case .four(let bytes): bytes.first == 127
    case .six(let bytes): bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
  }
}

extension BrokerURL {
  /// The first host of an `amqp` URL that is not this machine. Others can read the messages on the way to that host, and
  /// the password before them. `nil`: the URL is `amqps`, or every host is this machine.
  package var hostReadableOnTheWay: String? {
    if isSecure { return nil }
    return addresses.map(\.host).first { !BrokerURL.isThisMachine($0) }
  }

  /// Whether a host of a URL is this machine: `localhost`, or an address of the loopback.
  package static func isThisMachine(_ host: String) -> Bool {
    host.lowercased() == "localhost" || HostAddress(host)?.isLoopback == true
  }
}
