import Decisions
import TellerHealth

/// The name of a machine as it stands in an address, without a port: `localhost`, `192.0.2.1`, `::1`. In small letters.
struct HostName: Hashable, Sendable, CustomStringConvertible {
  let name: String

  /// The longest name of a machine.
  private static let longest = 253

  /// Reads a name or an address; nil for any other text.
  init?(_ text: String) {
    let text = text.lowercased()
    let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    let isName = inner.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_") }
    guard (1...HostName.longest).contains(inner.utf8.count), isName || IPAddress(inner) != nil else { return nil }
    name = inner
  }

  /// Reads the field `Host` of a request: a name, and perhaps a port.
  init?(field: String) {
    let bracket = field.lastIndex(of: "]")
    let colon = field.lastIndex(of: ":")
    guard let colon, bracket.map({ $0 < colon }) ?? true else {
      self.init(field)
      return
    }
    let port = field[field.index(after: colon)...]
    guard (1...5).contains(port.utf8.count), UInt16(port) != nil, port.allSatisfy(\.isNumber) else { return nil }
    // An address of IPv6 has colons of its own, and stands in brackets.
    let host = field[..<colon]
    guard !host.contains(":") || bracket != nil else { return nil }
    self.init(String(host))
  }

  var description: String { name }

  /// Whether only programs of this machine reach it.
  var isLoopback: Bool {
    if name == "localhost" { return true }
    return IPAddress(name).map(\.isLoopback) ?? false
  }
}

extension IPAddress {
  /// Whether it is of this machine alone: `127.0.0.0/8` or `::1`.
  var isLoopback: Bool {
    if let embedded { return embedded.isLoopback }
    return isIPv6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes[0] == 127
  }

  /// Whether it stands for all addresses of a machine.
  var isAny: Bool { bytes.allSatisfy { $0 == 0 } }
}

/// The names by which browsers may ask for the page.
///
/// A page of another site can make a name of its own point at this machine, and would then be of the page's own origin: the
/// name in its requests gives it away.
struct AllowedHosts: Hashable, Sendable {
  private let names: Set<HostName>

  init(_ settings: PageSettings) {
    let own = HostName(settings.address.host).flatMap { IPAddress($0.name)?.isAny == true ? nil : $0 }
    let loopback = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) }
    names = Set(loopback + [own].compactMap(\.self) + settings.hosts.compactMap { HostName($0) })
  }

  func allow(_ field: String) -> Bool { HostName(field: field).map(names.contains) ?? false }
}
