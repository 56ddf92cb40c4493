/// The files of an encrypted connection, of TLS 1.2 or later. The broker's certificate and host name are always
/// verified.
package struct BrokerTLS: Sendable, Hashable {
  /// A file (PEM) with the certificates of the authorities that may have signed the broker's; `nil`: those of the
  /// system.
  package var caFile: String?
  /// A file (PEM) with the certificate of this side, for a broker that asks for a certificate. The file also has the
  /// certificates between this one and its authority.
  package var certificateFile: String?
  /// A file (PEM) with the private key of that certificate, without a passphrase.
  package var keyFile: String?
}
