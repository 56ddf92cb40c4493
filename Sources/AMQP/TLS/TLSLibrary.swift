internal import COpenSSL

/// OpenSSL, begun as Teller wants it. Whatever uses it calls `begin` first.
enum TLSLibrary {
  /// OpenSSL frees what all threads use when the process ends, unless its very first user forbids it: a thread that was
  /// making a connection then crashed a process that had already said what is wrong. The system frees it all the same.
  /// Where something else in the process has used OpenSSL before, its choice stands.
  ///
  /// Source: `OPENSSL_init_crypto(3)`, `OPENSSL_INIT_NO_ATEXIT`.
  private static let begun: Void = { _ = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }()

  static func begin() { begun }
}
