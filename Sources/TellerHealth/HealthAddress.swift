/// Where a process answers questions about its health over HTTP: `127.0.0.1:8081`, `[::1]:8081`, `worker-3:8081`.
public struct HealthAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an IP address; an IPv6 address without its brackets.
  public let host: String
  /// The port; for a server 0 is any free port.
  public let port: Int

  /// The coordinator's address when no other is given.
  package static let usual = HealthAddress(host: "127.0.0.1", port: 8081)
  /// The longest name of a machine.
  private static let longestHost = 253

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, with or without `http://` before it; nil for any other text. The machine need not exist.
  public init?(_ text: String) {
    var rest = Substring(text)
    if rest.hasPrefix("http://") { rest = rest.dropFirst("http://".count) }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard let colon = rest.lastIndex(of: ":"), let port = HealthAddress.port(rest[rest.index(after: colon)...]),
      let host = HealthAddress.host(rest[..<colon])
    else { return nil }
    self.init(host: host, port: port)
  }

  private static func port(_ text: Substring) -> Int? {
    guard (1...5).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return UInt16(text).map(Int.init)
  }

  private static func host(_ text: Substring) -> String? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let host = isBracketed ? text.dropFirst().dropLast() : text
    // An IPv6 address has colons, and a zone after a percent sign.
    let others: Set<Character> = isBracketed ? [":", ".", "%", "-", "_"] : [".", "-", "_"]
    guard (1...longestHost).contains(host.utf8.count),
      host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) })
    else { return nil }
    return String(host)
  }

  /// `HOST:PORT`, without `http://`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
