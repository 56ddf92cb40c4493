import Decisions
import JobModel
public import Teller
public import TellerHealth

/// Where and to whom a ``PageServer`` serves the page.
///
/// Without anything else the page is for this machine alone, and everybody on it may do everything:
///
///     let page = PageServer(client, PageSettings())       // http://127.0.0.1:8090
///
/// An address of the network needs ``tokens``, and either ``tls`` or a ``proxy``.
public struct PageSettings: Hashable, Sendable {
  /// Where the page listens; with port 0 on any free port.
  public var address: HealthAddress
  /// What stands before every path, such as `/jobs`; empty: nothing.
  public var prefix = ""
  /// The names by which browsers may ask for the page, without a port. The address and the names of this machine's loopback
  /// are always among them. Any other name is refused: so no page of another site gets in by a name that it makes point here.
  public var hosts: Set<String> = []
  /// A file with the tokens of those who may sign in; nil: nobody signs in. See ``PageServer``.
  public var tokens: String?
  /// The files of the page's own encryption; nil: it has none.
  public var tls: Encryption?
  /// The address of a proxy in front of the page, or a network such as `10.0.0.0/8`: only it may connect, and its
  /// `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-For` count. Nil: browsers connect to the page itself.
  public var proxy: String?
  /// Whether only this machine reaches the address, though it is one of the network: in a container whose port is published at
  /// 127.0.0.1. Then the page needs no tokens. Other containers of its network reach the page, too.
  public var isPublishedLocally = false
  /// Whether nobody may change anything, whatever their role is.
  public var isReadOnly = false
  /// Whether payloads and results of jobs are shown, to those who ask for one. They may hold what is nobody's business.
  public var showsPayloads = true

  var limits = PageLimits()

  /// Where the page is, unless somebody says otherwise.
  public static let usualAddress = HealthAddress(host: "127.0.0.1", port: 8090)

  /// A page for this machine alone.
  public init(address: HealthAddress = usualAddress) { self.address = address }

  /// A certificate and its key.
  public struct Encryption: Hashable, Sendable {
    /// The path of a file (PEM) with the certificate, and those of the authorities between it and its root.
    public var certificate: String
    /// The path of a file (PEM) with the private key of the certificate, without a passphrase.
    public var key: String

    /// The given files.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
  }
}

extension PageSettings {
  /// Refuses settings by which somebody could get in who must not, or nobody could.
  ///
  /// - Throws: `ConfigurationError.invalidSetting`, which says what to do.
  public func check() throws(ConfigurationError) {
    if let problem = PagePrefix.problem(of: prefix) {
      throw .invalidSetting(source: "--prefix, TELLER_PAGE_PREFIX", problem: problem)
    }
    for host in hosts.sorted() where HostName(host) == nil {
      throw .invalidSetting(
        source: "--host, TELLER_PAGE_HOST",
        problem: "\"\(host.onOneLine)\" is no name of a machine; write it without a port")
    }
    if let proxy, let problem = PageSettings.problem(ofProxy: proxy) {
      throw .invalidSetting(source: "--behind-proxy, TELLER_PAGE_BEHIND_PROXY", problem: problem)
    }
    if let problem = exposure { throw .invalidSetting(source: "--listen, TELLER_PAGE_LISTEN", problem: problem) }
  }

  private static func problem(ofProxy proxy: String) -> String? {
    guard let network = IPNetwork(proxy) else {
      return "\"\(proxy.onOneLine)\" is neither an address nor a network such as 10.0.0.0/8"
    }
    if network.length > 0 { return nil }
    return
      "\(network) is every machine, and whoever is a proxy can say where a request comes from; name the proxy's address"
  }

  /// Why others than the people of this machine could get in; nil: they cannot.
  private var exposure: String? {
    if proxy != nil, tokens == nil {
      return
        "behind a proxy the page needs --tokens (TELLER_PAGE_TOKENS): whoever reaches the proxy could do everything"
    }
    if address.isLoopback || isPublishedLocally { return nil }
    if tokens == nil {
      return
        "\(address) is an address of the network, and needs --tokens (TELLER_PAGE_TOKENS): whoever reaches it could do everything. "
        + "Listen on 127.0.0.1 to serve this machine alone"
    }
    if tls == nil, proxy == nil {
      return "\(address) is an address of the network, and needs --tls-certificate and --tls-key, or --behind-proxy: "
        + "others could read tokens on their way"
    }
    return nil
  }
}

extension HealthAddress {
  /// Whether only programs of this machine reach it.
  var isLoopback: Bool { HostName(host)?.isLoopback ?? false }
}
