/// What an address is for, as the registries of special addresses say (RFC 6890).
package enum AddressKind: String, Hashable, Sendable {
  /// A machine of the internet.
  case global
  case loopback
  /// Of a network inside: RFC 1918, shared (100.64/10), unique local, site-local.
  case `private`
  /// Of this link alone; clouds tell a machine's secrets there.
  case linkLocal = "link-local"
  case unspecified
  case multicast
  case documentation
  /// For something else, or for nothing yet.
  case reserved

  /// Networks by kind. The first that fits counts.
  private static let networks: [(network: IPNetwork, kind: AddressKind)] = [
    ("0.0.0.0/8", .unspecified), ("10.0.0.0/8", .private), ("100.64.0.0/10", .private), ("127.0.0.0/8", .loopback),
    ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .private), ("192.0.0.0/24", .reserved),
    ("192.0.2.0/24", .documentation), ("192.88.99.0/24", .reserved), ("192.168.0.0/16", .private),
    ("198.18.0.0/15", .reserved), ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation),
    ("224.0.0.0/4", .multicast), ("240.0.0.0/4", .reserved), ("0.0.0.0/0", .global),
    ("::/128", .unspecified), ("::1/128", .loopback), ("fe80::/10", .linkLocal), ("fec0::/10", .private),
    ("fc00::/7", .private), ("ff00::/8", .multicast), ("2001:db8::/32", .documentation), ("3fff::/20", .documentation),
    // Tunnels and experiments of the IETF, Teredo among them: nobody can say where a packet ends.
    ("2001::/23", .reserved), ("2000::/3", .global), ("::/0", .reserved),
  ].compactMap { text, kind in IPNetwork(text).map { ($0, kind) } }

  /// The kind of an address: of one that holds another, the kind of that.
  package init(of address: IPAddress) {
    let address = address.embedded ?? address
    self = AddressKind.networks.first { $0.network.contains(address) }?.kind ?? .reserved
  }
}

extension AddressKind {
  /// For people, behind "is".
  package var words: String {
    switch self {
    case .global: "an address of the internet"
    case .loopback: "an address of this machine (loopback)"
    case .private: "a private address"
    case .linkLocal: "a link-local address"
    case .unspecified: "no address of a machine"
    case .multicast: "a multicast address"
    case .documentation: "an address for documentation"
    case .reserved: "a reserved address"
    }
  }
}

/// The addresses inside that a webhook may reach. Those of the internet need no leave.
package struct AllowedDestinations: Hashable, Sendable {
  /// Each address of them is allowed, of whatever kind.
  package var networks: [IPNetwork]
  /// Names, in lower case. What such a name stands for is allowed when it is private or loopback. Not link-local: whoever
  /// answers for the name could choose the address where a cloud tells a machine's secrets.
  package var hosts: Set<String>

  /// The given ones; none.
  package init(networks: [IPNetwork] = [], hosts: Set<String> = []) {
    (self.networks, self.hosts) = (networks, hosts)
  }

  /// Whether an address may be reached.
  ///
  /// - Parameters:
  ///   - address: The one that is connected to.
  ///   - host: The name, or the address, in the webhook's address.
  /// - Returns: Why it may not be reached; nil: it may be.
  package func refusal(of address: IPAddress, as host: String) -> AddressKind? {
    let kind = AddressKind(of: address)
    if kind == .global || networks.contains(where: { $0.contains(address) }) { return nil }
    if let embedded = address.embedded, networks.contains(where: { $0.contains(embedded) }) { return nil }
    return hosts.contains(host) && [.private, .loopback].contains(kind) ? nil : kind
  }
}
