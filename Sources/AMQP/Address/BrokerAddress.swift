/// Where one node of a broker listens.
package struct BrokerAddress: Sendable, Hashable {
  /// A host name, an IPv4 address, or an IPv6 address without its brackets.
  package var host: String
  package var port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

extension BrokerAddress: CustomStringConvertible {
  /// As it stands in a URL.
  package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension BrokerURL {
  /// All addresses of the broker, the one in use first; at least one.
  package var addresses: [BrokerAddress] { [BrokerAddress(host: host, port: port)] + others }

  /// The hosts of all addresses, the one in use first.
  package var hosts: [String] { addresses.map(\.host) }

  /// The same broker by that address alone.
  package func at(_ address: BrokerAddress) -> BrokerURL {
    var url = self
    (url.host, url.port, url.others) = (address.host, address.port, [])
    return url
  }
}
