internal import COpenSSL
import Foundation

/// Hears what OpenSSL tells while a connection is made: what is wrong with the broker's certificate, and whether the broker
/// asked for a certificate of this side. The C library keeps both to itself. Used on the connection's thread only.
final class TLSObserver {
  private let asked: String
  private let caFile: String?
  /// The first problem of the broker's certificate.
  private(set) var problem: TLSProblem?
  /// Whether the broker wants a certificate of this side.
  private(set) var wasAskedForCertificate = false

  /// The slot of a context that OpenSSL leaves to its user.
  private static let slot: Int32 = 0

  /// - Parameters:
  ///   - asked: the name or address that the certificate must be for.
  ///   - caFile: the file of the trusted authorities; `nil`: those of the system.
  init(asked: String, caFile: String?) {
    self.asked = asked
    self.caFile = caFile
  }

  /// Hears of the context's connections from now on. `leave` must be called before the observer is gone.
  func observe(_ context: OpaquePointer) {
    _ = SSL_CTX_set_ex_data(context, Self.slot, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isFine, store in
      if isFine == 0, let store { TLSObserver.watching(store)?.refused(store) }
      return isFine
    }
    SSL_CTX_set_cert_cb(
      context,
      { connection, _ in
        if let connection { TLSObserver.watching(connection: connection)?.wasAskedForCertificate = true }
        return 1  // go on
      }, nil)
  }

  /// The observer of the context hears of nothing any more.
  static func leave(_ context: OpaquePointer) {
    _ = SSL_CTX_set_ex_data(context, slot, nil)
  }

  private static func watching(_ store: OpaquePointer) -> TLSObserver? {
    guard let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()) else { return nil }
    return watching(connection: OpaquePointer(connection))
  }

  private static func watching(connection: OpaquePointer) -> TLSObserver? {
    guard let context = SSL_get_SSL_CTX(connection), let observer = SSL_CTX_get_ex_data(context, slot) else {
      return nil
    }
    return Unmanaged<TLSObserver>.fromOpaque(observer).takeUnretainedValue()
  }

  private func refused(_ store: OpaquePointer) {
    guard problem == nil else { return }
    let certificate = X509_STORE_CTX_get_current_cert(store)
    let subject = certificate.flatMap(CertificateText.subject) ?? "no subject"
    switch X509_STORE_CTX_get_error(store) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      let moment = CertificateText.moment(certificate.flatMap { X509_get0_notAfter($0) })
      problem = .expired(certificate: subject, at: moment)
    case X509_V_ERR_CERT_NOT_YET_VALID:
      let moment = CertificateText.moment(certificate.flatMap { X509_get0_notBefore($0) })
      problem = .notYetValid(certificate: subject, from: moment)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      problem = .wrongName(asked: asked, names: certificate.flatMap(CertificateText.names) ?? subject)
    case let error where Self.errorsOfTrust.contains(error):
      // Not the certificate at which OpenSSL stopped: the broker may have sent the authority's own along.
      let own = X509_STORE_CTX_get0_cert(store).flatMap(CertificateText.subject)
      problem = .untrusted(certificate: own ?? subject, caFile: caFile)
    case let error:
      let reason = X509_verify_cert_error_string(Int(error)).map { String(cString: $0) } ?? "error \(error)"
      problem = .badCertificate(certificate: subject, reason: reason)
    }
  }

  /// No authority that is known here has signed the certificate, or a known one has that name and another key.
  private static let errorsOfTrust: Set<Int32> = [
    X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
    X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
    X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE,
  ]
}

/// The contents of a certificate, for people. The peer wrote them: each text is cut, and has no control characters.
enum CertificateText {
  private static let longest: Int32 = 512

  static func subject(_ certificate: OpaquePointer) -> String? {
    guard let name = X509_get_subject_name(certificate) else { return nil }
    var text = [CChar](repeating: 0, count: Int(longest))
    guard X509_NAME_oneline(name, &text, longest) != nil else { return nil }
    return clean(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
  }

  /// The names and addresses that the certificate is for; `nil` when it names none beside its subject.
  static func names(_ certificate: OpaquePointer) -> String? {
    let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
    guard place >= 0, let names = X509_get_ext(certificate, place), let memory = BIO_new(BIO_s_mem()) else {
      return nil
    }
    defer { BIO_free(memory) }
    guard X509V3_EXT_print(memory, names, 0, 0) == 1 else { return nil }
    var text = [UInt8](repeating: 0, count: Int(longest))
    let count = BIO_read(memory, &text, longest)
    return count > 0 ? clean(Array(text.prefix(Int(count)))) : nil
  }

  static func moment(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unknown time" }
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02dZ", Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday),
      Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
  }

  private static func clean(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
