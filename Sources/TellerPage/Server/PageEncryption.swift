import Foundation
import HummingbirdTLS
import Teller

/// Reads the files of the page's own encryption.
enum PageEncryption {
  /// The largest such file, in bytes.
  static let sizeLimit = 1 << 20

  /// - Throws: `ConfigurationError.unreadable`, which says what is wrong with a file, and shows nothing of it.
  static func read(_ files: PageSettings.Encryption) throws(ConfigurationError) -> TLSConfiguration {
    let chain = try read(files.certificate, "it holds no certificates in PEM format") {
      try NIOSSLCertificate.fromPEMBytes($0)
    }
    let key = try read(files.key, "it holds no private key in PEM format, or one with a passphrase") {
      try NIOSSLPrivateKey(bytes: $0, format: .pem)
    }
    if chain.isEmpty { throw .unreadable(file: files.certificate, reason: "it holds no certificates in PEM format") }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }

  private static func read<Value>(
    _ file: String, _ problem: String, _ read: ([UInt8]) throws -> Value
  ) throws(ConfigurationError) -> Value {
    guard FileManager.default.isReadableFile(atPath: file) else {
      let exists = FileManager.default.fileExists(atPath: file)
      throw .unreadable(file: file, reason: exists ? "this user may not read it" : "there is no such file")
    }
    let text = try SmallFile.text(of: file, limit: sizeLimit)
    do {
      return try read(Array(text.utf8))
    } catch {
      throw .unreadable(file: file, reason: problem)
    }
  }
}
