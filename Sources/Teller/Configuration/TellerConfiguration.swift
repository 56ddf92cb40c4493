package import AMQP

/// Where the broker is, and how a client or a worker may connect to it.
///
/// ``load(broker:environment:)`` takes it from an argument and the environment (`TELLER_BROKER_URL` or
/// `TELLER_BROKER_URL_FILE`, `TELLER_BROKER_CA`, `TELLER_BROKER_CERTIFICATE`, `TELLER_BROKER_KEY`, `TELLER_INSECURE`). It
/// reads no `teller.yaml`: that is for coordinators, and for the command `teller`. Neither the description nor an error shows the broker's
/// password.
public struct TellerConfiguration: Sendable, Hashable {
  /// The broker's address, user, password and virtual host.
  package var brokerURL = BrokerURL(host: "127.0.0.1")
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

  /// Refuses a connection without encryption, before anything is sent to the broker.
  ///
  /// - Throws: ``ConfigurationError/notEncrypted(host:)`` when the password could be read on the way, and
  ///   `allowsPlaintext` is false.
  package func checkEncryption() throws(ConfigurationError) {
    if !allowsPlaintext, let host = brokerURL.hostReadableOnTheWay { throw .notEncrypted(host: host) }
  }
}
