import Foundation

/// The addresses of a broker, the user, and the virtual host.
///
/// The handshake alone reads the password: neither `description` nor reflection shows it.
package struct BrokerURL: Sendable, Hashable {
  /// Whether the connection must be encrypted (`amqps`).
  package var isSecure: Bool
  /// A host name, an IPv4 address, or an IPv6 address without its brackets.
  package var host: String
  package var port: UInt16
  /// The other nodes of the same broker, for the case that the node at `host` and `port` does not answer.
  package var others: [BrokerAddress] = []
  package var user: String
  package var password: String
  package var virtualHost: String
  /// The files of an encrypted connection. They are no part of the URL's text.
  package var tls = BrokerTLS()

  /// The port of `amqp`, for a URL without a port.
  package static let defaultPort: UInt16 = 5672
  /// The port of `amqps`, for a URL without a port.
  package static let defaultSecurePort: UInt16 = 5671

  package init(
    isSecure: Bool = false, host: String, port: UInt16? = nil, user: String = "guest", password: String = "guest",
    virtualHost: String = "/"
  ) {
    self.isSecure = isSecure
    self.host = host
    self.port = port ?? (isSecure ? Self.defaultSecurePort : Self.defaultPort)
    self.user = user
    self.password = password
    self.virtualHost = virtualHost
  }

  /// Reads `amqp://user:password@host:port/vhost`. Commas separate the addresses of a broker of several nodes:
  /// `amqp://user:password@a:5672,b:5672,[::1]:5672/vhost`.
  ///
  /// User, password, host and virtual host are percent-decoded. The virtual host `/` is written `%2F`. A bare slash at
  /// the end means `/` too, although the AMQP URI specification says otherwise: people mean `/` by it.
  ///
  /// - Throws: `BrokerURLError`. The error never repeats the text, because the text may hold a password.
  package init(_ text: String) throws(BrokerURLError) {
    guard let schemeEnd = text.range(of: "://") else { throw .missingScheme }
    switch text[..<schemeEnd.lowerBound].lowercased() {
    case "amqp": isSecure = false
    case "amqps": isSecure = true
    default: throw .unknownScheme
    }
    let rest = text[schemeEnd.upperBound...]
    if rest.contains(where: { $0 == "?" || $0 == "#" }) { throw .unexpectedQuery }
    let slash = rest.firstIndex(of: "/")
    let (credentials, location) = Self.splitAuthority(rest[..<(slash ?? rest.endIndex)])
    (user, password) = try Self.readCredentials(credentials)
    let first = location.firstIndex(of: ",") ?? location.endIndex
    (host, port) = try Self.readAddress(location[..<first], isSecure: isSecure)
    for text in location[first...].split(separator: ",", omittingEmptySubsequences: false).dropFirst() {
      let (host, port) = try Self.readAddress(text, isSecure: isSecure)
      others.append(BrokerAddress(host: host, port: port))
    }
    virtualHost = try Self.readVirtualHost(slash.map { rest[rest.index(after: $0)...] })
  }

  private static func splitAuthority(_ text: Substring) -> (credentials: Substring?, location: Substring) {
    // The last @ and not the first: with a password such as `p@ss`, which should be encoded, the host is still found.
    guard let at = text.lastIndex(of: "@") else { return (nil, text) }
    return (text[..<at], text[text.index(after: at)...])
  }

  private static func readCredentials(_ text: Substring?) throws(BrokerURLError) -> (String, String) {
    guard let text else { return ("guest", "guest") }
    guard let colon = text.firstIndex(of: ":") else { return (try decoded(text, part: "user"), "") }
    let password = text[text.index(after: colon)...]
    return (try decoded(text[..<colon], part: "user"), try decoded(password, part: "password"))
  }

  private static func readAddress(
    _ text: Substring, isSecure: Bool
  ) throws(BrokerURLError) -> (host: String, port: UInt16) {
    let (hostText, portText) = try splitLocation(text)
    let host = try decoded(hostText, part: "host")
    if host.isEmpty { throw .missingHost }
    return (host, try readPort(portText, isSecure: isSecure))
  }

  private static func splitLocation(_ text: Substring) throws(BrokerURLError) -> (Substring, Substring?) {
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { throw .invalidHost }
      let host = text[text.index(after: text.startIndex)..<end]
      let after = text[text.index(after: end)...]
      if after.isEmpty { return (host, nil) }
      guard after.first == ":" else { throw .invalidHost }
      return (host, after.dropFirst())
    }
    guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
    return (text[..<colon], text[text.index(after: colon)...])
  }

  private static func readPort(_ text: Substring?, isSecure: Bool) throws(BrokerURLError) -> UInt16 {
    guard let text, !text.isEmpty else { return isSecure ? defaultSecurePort : defaultPort }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(text), port > 0 else {
      throw .invalidPort
    }
    return port
  }

  private static func readVirtualHost(_ text: Substring?) throws(BrokerURLError) -> String {
    guard let text, !text.isEmpty else { return "/" }
    if text.contains("/") { throw .invalidVirtualHost }
    return try decoded(text, part: "virtual host")
  }

  private static func decoded(_ text: Substring, part: String) throws(BrokerURLError) -> String {
    guard let decoded = String(text).removingPercentEncoding else { throw .invalidEncoding(part: part) }
    // The handshake gives user, password and virtual host to C as zero-terminated strings.
    if decoded.utf8.contains(0) { throw .invalidEncoding(part: part) }
    return decoded
  }
}

extension BrokerURL {
  /// All addresses of the broker. The first is `host` and `port`.
  package var addresses: [BrokerAddress] { [BrokerAddress(host: host, port: port)] + others }

  /// The same broker with this one address.
  package func at(_ address: BrokerAddress) -> BrokerURL {
    var url = self
    (url.host, url.port, url.others) = (address.host, address.port, [])
    return url
  }
}

extension BrokerURL: CustomStringConvertible, CustomReflectable {
  /// The URL without its password.
  package var description: String {
    let encode = { (text: String) in text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
    let shown = addresses.map(\.description).joined(separator: ",")
    return "\(isSecure ? "amqps" : "amqp")://\(encode(user))@\(shown)/\(encode(virtualHost))"
  }

  /// The description alone: `dump` and a failed expectation must not show the password.
  package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

/// The reason why a text is no broker URL. No case repeats the text, because the text may hold a password.
package enum BrokerURLError: Error, Sendable, Hashable, CustomStringConvertible {
  case missingScheme
  case unknownScheme
  case missingHost
  case invalidHost
  case invalidPort
  case invalidVirtualHost
  case invalidEncoding(part: String)
  case unexpectedQuery

  package var description: String {
    let problem =
      switch self {
      case .missingScheme: "it does not start with amqp:// or amqps://"
      case .unknownScheme: "its scheme is neither amqp nor amqps"
      case .missingHost: "it names no host, or there is an empty one between its commas"
      case .invalidHost: "its IPv6 address has no matching brackets"
      case .invalidPort: "its port is not a number from 1 to 65535"
      case .invalidVirtualHost: "its virtual host holds a slash: write %2F"
      case .invalidEncoding(let part): "its \(part) is not properly percent-encoded"
      case .unexpectedQuery: "it has a query or fragment: encode ? as %3F and # as %23"
      }
    return "This is no broker URL: \(problem). Write amqp://user:password@host:5672/vhost."
  }
}
