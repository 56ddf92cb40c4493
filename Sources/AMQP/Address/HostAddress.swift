import Foundation

/// A host that is written as an address, not as a name.
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

  /// Whether it is this machine itself.
  var isLoopback: Bool {
    switch self {
    case .four(let bytes): bytes.first == 127
    case .six(let bytes): bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
  }
}

extension BrokerURL {
  /// The first host on the way to which what is sent, the password first, can be read: `amqp` to one that is not this
  /// machine itself; nil: none of its addresses is.
  package var hostReadableOnTheWay: String? {
    if isSecure { return nil }
    return hosts.first { $0.lowercased() != "localhost" && HostAddress($0)?.isLoopback != true }
  }
}
