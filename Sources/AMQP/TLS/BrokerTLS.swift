/// What an encrypted connection needs beside its URL. Certificate and host name are always verified, and nothing older
/// than TLS 1.2 is spoken.
package struct BrokerTLS: Sendable, Hashable {
  /// A file (PEM) with the certificates of the authorities that may have signed the broker's; `nil`: the system's.
  package var caFile: String?
  /// A file (PEM) with the certificate to show to a broker that asks for one, and those between it and its authority.
  package var certificateFile: String?
  /// A file (PEM) with the private key of that certificate, without a passphrase.
  package var keyFile: String?

  package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
    self.caFile = caFile
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}
