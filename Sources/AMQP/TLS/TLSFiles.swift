internal import COpenSSL
import Foundation
import Processes

/// Gives the files of `BrokerTLS` to OpenSSL. Its errors say in people's words what is wrong with a file.
enum TLSFiles {
  /// The authorities that may have signed the broker's certificate.
  static func trust(_ file: String?, on context: OpaquePointer) throws(TLSProblem) {
    guard let file else {
      guard systemHasAuthorities, SSL_CTX_set_default_verify_paths(context) == 1 else { throw .noAuthorities }
      return
    }
    let store = SSL_CTX_get_cert_store(context)
    let isRead = try read(file, .authorities) { bio in
      PEMFile.eachCertificate(bio) { X509_STORE_add_cert(store, $0) == 1 }
    }
    guard isRead == true else {
      throw .file(.authorities, path: file, reason: "it holds no certificates in PEM format")
    }
  }

  /// The certificate of this side, and its key.
  static func useOwn(_ tls: BrokerTLS, on context: OpaquePointer) throws(TLSProblem) {
    guard let certificate = tls.certificateFile, let key = tls.keyFile else {
      if tls.certificateFile == nil && tls.keyFile == nil { return }
      throw .halfOfPair
    }
    guard try read(certificate, .certificate, { useChain($0, on: context) }) == true else {
      throw .file(.certificate, path: certificate, reason: "it holds no certificate in PEM format")
    }
    ERR_clear_error()
    guard try read(key, .key, { useKey($0, on: context) }) == true, SSL_CTX_check_private_key(context) == 1
    else { throw .file(.key, path: key, reason: reasonOfKey(besides: certificate)) }
  }

  /// The first certificate is the own one; those behind it lead to its authority.
  private static func useChain(_ bio: OpaquePointer, on context: OpaquePointer) -> Bool {
    var isFirst = true
    return PEMFile.eachCertificate(bio) { certificate in
      defer { isFirst = false }
      if isFirst { return SSL_CTX_use_certificate(context, certificate) == 1 }
      return SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate)) == 1
    }
  }

  private static func useKey(_ bio: OpaquePointer, on context: OpaquePointer) -> Bool {
    // Otherwise OpenSSL would ask for the passphrase on the terminal.
    guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else { return false }
    defer { EVP_PKEY_free(key) }
    return SSL_CTX_use_PrivateKey(context, key) == 1
  }

  private static func reasonOfKey(besides certificate: String) -> String {
    var reasons: [(library: Int32, reason: Int32)] = []
    while case let code = ERR_get_error(), code != 0 {
      reasons.append((teller_ssl_library(code), teller_ssl_reason(code)))
    }
    let isOther = reasons.contains {
      $0.library == ERR_LIB_X509 && [X509_R_KEY_VALUES_MISMATCH, X509_R_KEY_TYPE_MISMATCH].contains($0.reason)
    }
    if isOther { return "it is not the key of the certificate in \(certificate)" }
    let isLocked = reasons.contains { $0.library == ERR_LIB_PEM && $0.reason == PEM_R_BAD_PASSWORD_READ }
    return isLocked ? "it needs a passphrase: give a key without one" : "it holds no private key in PEM format"
  }

  /// OpenSSL would not say why it cannot read a file, and would wait for one that hangs.
  private static func read<Value>(
    _ path: String, _ file: TLSProblem.File, _ body: (OpaquePointer) -> Value
  ) throws(TLSProblem) -> Value? {
    do throws(FileProblem) {
      return try PEMFile.read(path, body)
    } catch {
      throw .file(file, path: path, reason: error.description)
    }
  }

  /// Whether OpenSSL finds authorities by itself: in a file, or in a folder with a file for each authority.
  private static var systemHasAuthorities: Bool {
    let environment = ProcessInfo.processInfo.environment
    let file = environment["SSL_CERT_FILE"] ?? String(cString: X509_get_default_cert_file())
    if FileManager.default.isReadableFile(atPath: file) { return true }
    let folders = environment["SSL_CERT_DIR"] ?? String(cString: X509_get_default_cert_dir())
    return folders.split(separator: ":").contains { folder in
      (try? FileManager.default.contentsOfDirectory(atPath: String(folder)))?.isEmpty == false
    }
  }
}

extension BrokerTLS {
  /// What is wrong with the files, before anybody connects: of the authorities, and of the certificate and its key.
  package func problems() -> [TLSProblem] {
    TLSLibrary.begin()
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      return [.other(reason: "the TLS library cannot be used")]
    }
    defer { SSL_CTX_free(context) }
    var problems: [TLSProblem] = []
    do throws(TLSProblem) { try TLSFiles.trust(caFile, on: context) } catch { problems.append(error) }
    do throws(TLSProblem) { try TLSFiles.useOwn(self, on: context) } catch { problems.append(error) }
    ERR_clear_error()
    return problems
  }
}
