/// The reason why there is no encrypted connection. Somebody must correct a file, a certificate, an address, or the
/// broker's configuration. No case shows the contents of a file.
package enum TLSProblem: Error, Sendable, Hashable {
  /// One of the files of `BrokerTLS` cannot be used.
  case file(File, path: String, reason: String)
  /// No CA file is named, and this system has no certificates of authorities.
  case noAuthorities
  /// A certificate of this side without its key, or a key without its certificate.
  case halfOfPair
  /// No authority that is trusted here has signed the broker's certificate.
  case untrusted(certificate: String, caFile: String?)
  /// A certificate of the broker or of an authority was valid until then.
  case expired(certificate: String, at: String)
  /// A certificate of the broker or of an authority is valid from then on.
  case notYetValid(certificate: String, from: String)
  /// The broker's certificate is for other names than the name in the URL.
  case wrongName(asked: String, names: String)
  /// Another problem of the broker's certificate, in OpenSSL's words.
  case badCertificate(certificate: String, reason: String)
  /// The port does not speak TLS.
  case notTLS
  /// The port speaks TLS, and this side asked for plain AMQP.
  case onlyTLS
  /// The broker has no version of TLS, or no cipher, that is allowed here.
  case noCommonVersion(reason: String)
  /// The broker wants a certificate of this side, and none is named.
  case certificateWanted
  /// The broker does not accept the certificate of this side. The reason is in OpenSSL's words.
  case certificateRefused(path: String, reason: String)
  /// Any other problem, in OpenSSL's words.
  case other(reason: String)

  /// One of the files of `BrokerTLS`.
  package enum File: Sendable, Hashable {
    case authorities
    case certificate
    case key
  }
}

extension TLSProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let file, let path, let reason):
      "\(file) \(path) cannot be used: \(reason). It is named in \(file.setting), or under `tls:` in teller.yaml."
    case .noAuthorities:
      "this system has no certificates of authorities. Install them (ca-certificates), or name the file of the broker's "
        + "authority in \(File.authorities.setting)."
    case .halfOfPair:
      "a certificate of this side needs its key, and a key its certificate. Name both, or neither, in \(File.pairSettings)."
    case .untrusted(let certificate, let caFile):
      "its certificate (\(certificate)) is not signed by an authority of \(caFile ?? "this system"). Name the CA file of "
        + "that broker in \(File.authorities.setting)."
    case .expired(let certificate, let moment):
      "its certificate (\(certificate)) expired at \(moment). Renew it; or is this machine's clock wrong?"
    case .notYetValid(let certificate, let moment):
      "its certificate (\(certificate)) is valid from \(moment) only. Is this machine's clock wrong, or the broker's?"
    case .wrongName(let asked, let names):
      "its certificate is not for \(asked), but for \(names). Use one of these names in the broker's URL, or give the "
        + "broker a certificate for \(asked)."
    case .badCertificate(let certificate, let reason):
      "its certificate (\(certificate)) cannot be used: \(reason). Give the broker another one."
    case .notTLS:
      "what answers there does not speak TLS. Is that the broker's port for plain amqp:// (5672)? The one for TLS is "
        + "mostly 5671."
    case .onlyTLS: "what answers there speaks TLS. Use amqps:// for that port, or amqp:// with the plain one."
    case .noCommonVersion(let reason):
      "it offers neither TLS 1.2 nor anything later that both sides understand (\(reason)). Configure that in the broker."
    case .certificateWanted:
      "it asks for a certificate of this side. Name one and its key in \(File.pairSettings)."
    case .certificateRefused(let path, let reason):
      "it does not take this side's certificate \(path) (\(reason)). Is it signed by an authority that the broker trusts, "
        + "and still valid?"
    case .other(let reason): "TLS failed: \(reason). Look at the broker's log."
    }
  }
}

extension TLSProblem.File: CustomStringConvertible {
  package var description: String {
    switch self {
    case .authorities: "the CA file"
    case .certificate: "the certificate file of this side"
    case .key: "the key file of this side"
    }
  }

  /// The product's setting that names the file. It stands here because an error's text is complete wherever it is
  /// printed: every log line and every command prints `\(error)`.
  fileprivate var setting: String {
    switch self {
    case .authorities: "TELLER_BROKER_CA"
    case .certificate: "TELLER_BROKER_CERTIFICATE"
    case .key: "TELLER_BROKER_KEY"
    }
  }

  fileprivate static var pairSettings: String { "\(certificate.setting) and \(key.setting)" }
}
