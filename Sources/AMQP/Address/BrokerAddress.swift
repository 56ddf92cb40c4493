/// The address of one node of a broker.
package struct BrokerAddress: Sendable, Hashable {
  /// A host name, an IPv4 address, or an IPv6 address without its brackets.
  package var host: String
  package var port: UInt16
}

extension BrokerAddress: CustomStringConvertible {
  /// The address in the form that a URL has: `rabbit:5672`, `[::1]:5672`.
  package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
