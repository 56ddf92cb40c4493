import Decisions

/// Where a request comes from, and by which name and scheme its browser asked: as the connection says it, or as the proxy in
/// front of the page does.
struct RequestSource: Hashable, Sendable {
  /// The machine of the browser; nil: the connection does not say it.
  var machine: IPAddress?
  /// The field `Host` as the browser sent it: a name, and perhaps a port.
  var host: String
  var isEncrypted: Bool

  /// The page as the browser names it: `http://127.0.0.1:8090`.
  var origin: String { (isEncrypted ? "https://" : "http://") + host.lowercased() }

  /// Whose limits count: the machine's, and nobody else's; nil: a program of this machine, or unknown.
  var limited: String? { machine.flatMap { $0.isLoopback ? nil : $0.limited } }

  /// What a proxy adds to a request. All values of each field, in their order.
  struct Forwarded: Hashable, Sendable {
    var proto: [String] = []
    var host: [String] = []
    var machines: [String] = []
  }
}

/// Whose word counts about where a request comes from.
struct ProxyRule: Hashable, Sendable {
  /// Nil: nobody's. What a proxy would say is then passed over: anybody may write it.
  let proxy: IPNetwork?
  /// Whether the page's own connections are encrypted.
  let isEncrypted: Bool

  /// Where a request comes from.
  ///
  /// - Parameters:
  ///   - peer: the other end of the connection.
  ///   - hosts: all values of `Host`.
  ///   - forwarded: what a proxy has added, if there is one.
  /// - Returns: nil when somebody goes round the proxy, or there is not one host that the request is meant for.
  func source(of peer: IPAddress?, hosts: [String], forwarded: RequestSource.Forwarded) -> RequestSource? {
    guard hosts.count == 1, let host = hosts.first else { return nil }
    guard let proxy else { return RequestSource(machine: peer, host: host, isEncrypted: isEncrypted) }
    guard let peer, proxy.contains(peer.embedded ?? peer) || proxy.contains(peer) else { return nil }
    return RequestSource(
      machine: ProxyRule.last(of: forwarded.machines).flatMap { IPAddress($0) } ?? peer,
      host: ProxyRule.last(of: forwarded.host) ?? host,
      isEncrypted: ProxyRule.last(of: forwarded.proto).map { $0.lowercased() == "https" } ?? isEncrypted)
  }

  /// The value that the proxy itself has added: those before it are of whoever asked the proxy.
  private static func last(of values: [String]) -> String? {
    let parts = values.flatMap { $0.split(separator: ",") }
    return parts.last.map { String($0).trimmingSpaces }
  }
}

extension IPAddress {
  /// How many bytes of an IPv6 address name the network: one machine may take every address of it (RFC 4291, 2.5.4).
  private static let networkBytes = 8

  /// For whom limits count: of IPv6 all addresses of one network are one.
  var limited: String {
    let address = embedded ?? self
    guard address.isIPv6 else { return address.description }
    let rest = [UInt8](repeating: 0, count: address.bytes.count - IPAddress.networkBytes)
    let network = IPAddress(bytes: address.bytes.prefix(IPAddress.networkBytes) + rest) ?? address
    return "\(network)/\(8 * IPAddress.networkBytes)"
  }
}

extension String {
  /// Without spaces and tabs at both ends.
  var trimmingSpaces: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
