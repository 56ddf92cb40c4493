package import AMQP
package import JobTransport

/// Where the broker is, and how a client or a worker may connect to it.
///
/// ``load(broker:environment:)`` takes it from an argument and the environment (`TELLER_BROKER_URL` or
/// `TELLER_BROKER_URL_FILE`, `TELLER_BROKER_CA`, `TELLER_BROKER_CERTIFICATE`, `TELLER_BROKER_KEY`, `TELLER_INSECURE`). It
/// reads no `teller.yaml`: that is for coordinators, and for the command `teller`. Neither the description nor an error shows the broker's
/// password.
public struct TellerConfiguration: Sendable, Hashable {
  /// The broker's address, user, password and virtual host.
  package var brokerURL = BrokerURL(host: "127.0.0.1")
  /// The file that the URL was read from; nil: it was in none, or in a pipe, which cannot be read again.
  package internal(set) var brokerFile: String?
  /// Whether `amqp://`, which is not encrypted, may be used to another machine. Everyone on the way can then read the
  /// broker's password and all jobs: true only where the network is trusted. When it is false,
  /// ``TellerClient/connect(_:name:timeouts:logger:)`` and ``Worker/run()`` throw
  /// ``ConfigurationError/notEncrypted(host:)`` before they connect.
  public var allowsPlaintext = false

  /// The defaults: a broker on this machine, as its user `guest`.
  public init() {}

  /// The defaults, with another broker.
  ///
  /// - Parameter broker: `amqp://user:password@host:5672/vhost`; of several nodes each, with commas: `a:5672,b:5672`.
  /// - Throws: ``ConfigurationError`` when this is no broker's URL; the error does not repeat the URL.
  public init(broker: String) throws(ConfigurationError) {
    brokerURL = try TellerConfiguration.brokerURL(broker, from: "the broker's URL")
  }

  /// The broker's URL without its password, for logs and screens.
  public var broker: String { brokerURL.description }

  /// Where the broker is, for a process that stays: a file with the URL is read again for each connection. What was read
  /// from a pipe, as that of `<(…)` in a shell, stays.
  ///
  /// - Parameters:
  ///   - keepsUser: Whether another user needs a restart.
  ///   - patience: How long reading the file may take.
  /// - Returns: The source, with the URL of now.
  package func brokerSource(keepsUser: Bool = false, patience: Duration = SmallFile.patience) -> BrokerSource {
    guard let file = brokerFile else { return BrokerSource(brokerURL, keepsUser: keepsUser) }
    return BrokerSource(brokerURL, keepsUser: keepsUser) { try await present(in: file, within: patience) }
  }

  /// The URL that a file has now. A file system that hangs holds up a thread of its own, and none that Swift's tasks share.
  private func present(in file: String, within patience: Duration) async throws -> BrokerURL {
    try await OneShot.onThread(named: "teller-url") {
      var present = self
      present.replace(try BrokerURLFile.read(file, within: patience).url, of: file)
      try present.checkEncryption()
      return present.brokerURL
    }
  }

  /// Refuses a connection without encryption, before anything is sent to the broker.
  ///
  /// - Throws: ``ConfigurationError/notEncrypted(host:)`` when the password could be read on the way, and
  ///   `allowsPlaintext` is false.
  package func checkEncryption() throws(ConfigurationError) {
    if !allowsPlaintext, let host = brokerURL.hostReadableOnTheWay { throw .notEncrypted(host: host) }
  }
}
