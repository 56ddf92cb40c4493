/// Where a webhook delivers: a URL of http or https, in one form of writing.
///
/// The path is a secret of some receivers, Slack's for example: the description has none of it.
package struct WebhookAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether the way is encrypted.
  package let isSecure: Bool
  /// A name in lower case, or an IP address, without brackets.
  package let host: String
  /// The port; nil: that of the scheme.
  package let port: Int?
  /// Path and query; at least `/`.
  package let path: String

  /// The longest address, in bytes.
  package static let longest = 2_000

  /// What is wrong with a text. No case has any of it.
  package enum Problem: Error, Hashable, CustomStringConvertible {
    case tooLong, scheme, userinfo, host, port, path, fragment

    /// For people: what to write.
    package var description: String {
      switch self {
      case .tooLong: "it has more than \(WebhookAddress.longest) bytes"
      case .scheme: "it must begin with https:// or http://"
      case .userinfo: "it has a user or a password, which would be seen: leave it out, the signature is the proof"
      case .host: "it has no name of a machine that can be used"
      case .port: "its port is no number from 1 to 65535"
      case .path: "its path has a character that must be written as %XX"
      case .fragment: "leave out the # and what follows: it is not sent"
      }
    }
  }

  /// Reads an address.
  package init(_ text: String) throws(Problem) {
    guard text.utf8.count <= WebhookAddress.longest else { throw .tooLong }
    guard let end = text.firstRange(of: "://") else { throw .scheme }
    switch text[..<end.lowerBound].lowercased() {
    case "https": isSecure = true
    case "http": isSecure = false
    default: throw .scheme
    }
    let rest = text[end.upperBound...]
    let authority = rest.prefix { !"/?#\\".contains($0) }
    if authority.contains("@") { throw .userinfo }
    (host, port) = try WebhookAddress.split(authority)
    path = try WebhookAddress.path(rest[authority.endIndex...])
  }

  private static func split(_ authority: Substring) throws(Problem) -> (String, Int?) {
    guard authority.first == "[" else {
      let colon = authority.firstIndex(of: ":") ?? authority.endIndex
      return (try name(authority[..<colon]), try port(authority[colon...]))
    }
    guard let bracket = authority.firstIndex(of: "]"),
      let address = IPAddress(String(authority[..<bracket].dropFirst())), address.isIPv6
    else { throw .host }
    return (address.description, try port(authority[authority.index(after: bracket)...]))
  }

  /// The longest name of a machine.
  private static let longestName = 253

  /// Only what a name in the DNS is made of: whoever connects must read the same name in it.
  private static func name(_ text: Substring) throws(Problem) -> String {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard isName, (1...longestName).contains(text.utf8.count), labels.allSatisfy({ (1...63).contains($0.utf8.count) })
    else { throw .host }
    // `127.1`, `2130706433` and `0x7f000001` are addresses for some, and names for others.
    let last = labels.last ?? ""
    let isNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
    if isNumber, IPAddress(String(text)) == nil { throw .host }
    return text.lowercased()
  }

  /// A name of a machine, as an address may have it, in lower case; nil for any other text, and for an IP address.
  package static func hostName(_ text: String) -> String? {
    IPAddress(text) == nil ? try? name(Substring(text)) : nil
  }

  private static func port(_ text: Substring) throws(Problem) -> Int? {
    if text.isEmpty { return nil }
    let digits = text.dropFirst()
    guard text.first == ":", (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(digits), (1...65_535).contains(port)
    else { throw .port }
    return port
  }

  private static func path(_ text: Substring) throws(Problem) -> String {
    if text.contains("#") { throw .fragment }
    let others = Set("-._~!$&'()*+,;=:@/?%".utf8)
    let isPath = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || others.contains(byte)
    }
    guard isPath else { throw .path }
    return text.first == "/" ? String(text) : "/" + text
  }

  /// The host as it stands in a URL.
  private var shownHost: String { host.contains(":") ? "[\(host)]" : host }

  /// All of it, for the request.
  package var url: String { description + path }

  /// Scheme, host and port: what may be shown.
  package var description: String {
    "\(isSecure ? "https" : "http")://\(shownHost)\(port.map { ":\($0)" } ?? "")"
  }
}
