import Foundation

/// The address of a machine: four bytes of IPv4, or sixteen of IPv6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// In the order of the network.
  package let bytes: [UInt8]

  /// An address of four or sixteen bytes; nil for any other number.
  package init?(bytes: [UInt8]) {
    guard [4, 16].contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Reads `192.0.2.1` or `2001:db8::1`; nil for any other text. `127.1` is no address here, and neither is `::1%lo`.
  package init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// Whether it has sixteen bytes.
  package var isIPv6: Bool { bytes.count == 16 }

  /// As people write it.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The IPv4 address inside: a machine, or a gateway on the way, takes the packet there. Nil: there is none.
  package var embedded: IPAddress? {
    guard isIPv6, let place = IPAddress.embedding.first(where: { $0.network.contains(self) })?.place else { return nil }
    return IPAddress(bytes: Array(bytes[place..<place + 4]))
  }

  /// Forms that hold an IPv4 address, and where: mapped, translated (SIIT), NAT64, 6to4.
  private static let embedding: [(network: IPNetwork, place: Int)] = [
    ("::ffff:0:0/96", 12), ("::ffff:0:0:0/96", 12), ("64:ff9b::/96", 12), ("2002::/16", 2),
  ].compactMap { text, place in IPNetwork(text).map { ($0, place) } }
}

/// Addresses that begin alike: `10.0.0.0/8`, `fd00::/8`; one address is a network, too.
package struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
  /// The first address.
  package let first: IPAddress
  /// How many bits all have in common.
  package let length: Int

  /// Reads a network; nil for a text that is none, and for `10.1.2.3/8`: it may mean the address or the network.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let bits = address.bytes.count * 8
    let length = parts.count == 1 ? bits : Int(parts[1]).flatMap { parts[1].allSatisfy(\.isNumber) ? $0 : nil }
    guard let length, (0...bits).contains(length) else { return nil }
    (first, self.length) = (address, length)
    guard address.bytes.indices.allSatisfy({ address.bytes[$0] & ~mask(of: $0) == 0 }) else { return nil }
  }

  /// Whether the address is one of them. An IPv4 address is in no network of IPv6, nor the other way round.
  package func contains(_ address: IPAddress) -> Bool {
    address.bytes.count == first.bytes.count
      && first.bytes.indices.allSatisfy { (first.bytes[$0] ^ address.bytes[$0]) & mask(of: $0) == 0 }
  }

  /// The bits of that byte that all have in common.
  private func mask(of byte: Int) -> UInt8 {
    let bits = min(8, max(0, length - byte * 8))
    return bits == 0 ? 0 : 0xFF << UInt8(8 - bits)
  }

  /// As people write it.
  package var description: String { "\(first)/\(length)" }
}
