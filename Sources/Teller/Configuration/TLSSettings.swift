import AMQP

/// The files of an encrypted connection to the broker, `amqps://`. The broker's certificate and its name are always
/// verified, and TLS is 1.2 or later; no setting changes this.
public struct TLSSettings: Sendable, Hashable {
  /// The path of a file (PEM) with the certificates of the authorities that may sign the broker's certificate; nil: the
  /// authorities of the system.
  public var ca: String?
  /// The path of a file (PEM) with this process's certificate, for a broker that asks for one; nil: none.
  public var certificate: String?
  /// The path of a file (PEM) with the private key of that certificate, without a passphrase.
  public var key: String?

  /// The given files. A certificate and its key belong together.
  public init(ca: String? = nil, certificate: String? = nil, key: String? = nil) {
    self.ca = ca
    self.certificate = certificate
    self.key = key
  }
}

extension TellerConfiguration {
  /// The files of an encrypted connection. They are used for a URL that begins with `amqps://`.
  public var tls: TLSSettings {
    get {
      TLSSettings(
        ca: brokerURL.tls.caFile, certificate: brokerURL.tls.certificateFile, key: brokerURL.tls.keyFile)
    }
    set {
      brokerURL.tls.caFile = newValue.ca
      brokerURL.tls.certificateFile = newValue.certificate
      brokerURL.tls.keyFile = newValue.key
    }
  }
}
