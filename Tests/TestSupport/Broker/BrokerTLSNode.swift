/// Where a test broker listens for TLS, and the files for whoever connects.
package struct BrokerTLSNode: Sendable {
  /// The address of its first virtual host: `amqps://user:password@localhost:port/`.
  package let url: String
  /// The folder that `Deploy/tls` has made.
  private let folder: String

  /// The certificate of the authority that has signed the broker's.
  package var ca: String { "\(folder)/ca.pem" }
  /// A certificate for who connects, and its key.
  package var certificate: String { "\(folder)/client.pem" }
  package var key: String { "\(folder)/client.key" }

  /// The same address for another virtual host.
  /// - Parameter plainURL: what `makeVirtualHost` has returned.
  /// - Returns: the address of that virtual host over TLS.
  package func url(of plainURL: String) -> String {
    url + (plainURL.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? "")
  }

  init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3, words[0] == "tls" else { return nil }
    (url, folder) = (words[1], words[2])
  }
}
