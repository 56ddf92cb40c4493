internal import COpenSSL
internal import CRabbitMQ
import Foundation

/// The C library's TLS socket of one connection, made strict. It also finds the problem of a connection that fails.
///
/// OpenSSL verifies the certificate, and the name or the address in it, while the connection is made. The library's own
/// check comes later, and knows no addresses. The C library's connection frees the socket. This object is used on the
/// connection's thread only, and only until the login.
final class TLSSocket {
  let socket: OpaquePointer
  private let context: OpaquePointer
  private let observer: TLSObserver
  private let url: BrokerURL

  /// - Throws: `TLSProblem` when a file cannot be used.
  init(_ state: amqp_connection_state_t, url: BrokerURL) throws(TLSProblem) {
    TLSLibrary.begin()
    guard let socket = amqp_ssl_socket_new(state), let context = amqp_ssl_socket_get_context(socket) else {
      throw .other(reason: "the TLS library cannot be used")
    }
    self.socket = socket
    self.context = OpaquePointer(context)
    observer = TLSObserver(asked: url.host, caFile: url.tls.caFile)
    self.url = url
    try TLSSocket.restrict(self.context)
    try TLSSocket.requireName(url.host, on: self.context)
    try TLSFiles.trust(url.tls.caFile, on: self.context)
    try TLSFiles.useOwn(url.tls, on: self.context)
    amqp_ssl_socket_set_verify_peer(socket, 1)
    amqp_ssl_socket_set_verify_hostname(socket, HostAddress(url.host) == nil ? 1 : 0)
    ERR_clear_error()
    observer.observe(self.context)
  }

  /// Ends the observation of the connection.
  func leave() { TLSObserver.leave(context) }

  private static func restrict(_ context: OpaquePointer) throws(TLSProblem) {
    guard teller_ssl_require_tls12(context) == 1 else { throw .other(reason: "the TLS library knows no TLS 1.2") }
    teller_ssl_refuse_renegotiation(context)
    teller_ssl_read_single_records(context)
  }

  private static func requireName(_ host: String, on context: OpaquePointer) throws(TLSProblem) {
    guard let parameters = SSL_CTX_get0_param(context) else { throw .other(reason: "the TLS library has no memory") }
    X509_VERIFY_PARAM_set_hostflags(
      parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
    let isSet =
      HostAddress(host) == nil
      ? X509_VERIFY_PARAM_set1_host(parameters, host, 0) : X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
    guard isSet == 1 else { throw .other(reason: "the host's name cannot be verified") }
  }
}

extension TLSSocket {
  /// The problem behind a failure to connect; `nil`: TLS is not the reason, or another attempt may help.
  func problemOfConnecting(status: Int32) -> TLSProblem? {
    if let problem = observer.problem { return problem }
    // Found by the library's own check, which comes after OpenSSL's.
    switch status {
    case AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED.rawValue: return .wrongName(asked: url.host, names: "other names")
    case AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue: return .other(reason: describe(libraryStatus: status))
    default: break
    }
    guard let error = TLSSocket.lastError() else { return nil }
    if let problem = problem(ofAlert: error) { return problem }
    if TLSSocket.signsOfOtherProtocol.contains(error.reason) { return .notTLS }
    if TLSSocket.signsOfOldVersion.contains(error.reason) { return .noCommonVersion(reason: error.text) }
    // A broker that is starting or stopping goes away in the middle.
    return error.isEndOfFile ? nil : .other(reason: error.text)
  }

  /// The problem if the broker ended an encrypted connection before the login. Since TLS 1.3 a broker looks at this side's
  /// certificate only when the connection is complete for this side.
  ///
  /// - Parameter limit: how long a second connection, which asks the broker again, may take.
  /// - Returns: `nil` when TLS is not the reason, or another attempt may help.
  func problemOfLoggingIn(within limit: Duration) -> TLSProblem? {
    if let error = TLSSocket.lastError(), let problem = problem(ofAlert: error) { return problem }
    return observer.wasAskedForCertificate ? TLSSocket.opinionOfCertificate(url, within: limit) : nil
  }

  /// Asks the broker about this side's certificate, on a connection that says nothing else. On the first connection this
  /// side went on talking. The broker's words may be lost there: a system drops them when it closes a socket with bytes
  /// that nobody has read.
  private static func opinionOfCertificate(_ url: BrokerURL, within limit: Duration) -> TLSProblem? {
    guard let state = amqp_new_connection() else { return nil }
    defer { amqp_destroy_connection(state) }
    guard let tls = try? TLSSocket(state, url: url) else { return nil }
    defer { tls.leave() }
    var timeout = timeval(limit)
    let status = amqp_socket_open_noblock(tls.socket, url.host, Int32(url.port), &timeout)
    guard status == AMQP_STATUS_OK.rawValue else { return tls.problemOfConnecting(status: status) }
    var frame = amqp_frame_t()
    timeout = timeval(min(limit, opinionLimit))
    let answer = amqp_simple_wait_frame_noblock(state, &frame, &timeout)
    // A broker that accepts the certificate waits for the login.
    if [AMQP_STATUS_OK.rawValue, AMQP_STATUS_TIMEOUT.rawValue].contains(answer) { return nil }
    return lastError().flatMap(tls.problem(ofAlert:))
      ?? tls.problemOfCertificate(reason: describe(libraryStatus: answer))
  }

  /// How long a broker may look at a certificate. RabbitMQ ends any silent connection after twice that time.
  private static let opinionLimit = Duration.seconds(5)

  private func problemOfCertificate(reason: String) -> TLSProblem {
    url.tls.certificateFile.map { .certificateRefused(path: $0, reason: reason) } ?? .certificateWanted
  }

  /// The problem that the broker itself named in an alert of TLS.
  private func problem(ofAlert error: LibraryError) -> TLSProblem? {
    guard let alert = error.alert else { return nil }
    if observer.wasAskedForCertificate {
      return problemOfCertificate(reason: error.text)
    }
    switch alert {
    case SSL3_AD_HANDSHAKE_FAILURE, TLS1_AD_PROTOCOL_VERSION, TLS1_AD_INSUFFICIENT_SECURITY:
      return .noCommonVersion(reason: error.text)
    default: return .other(reason: "the broker says: \(error.text)")
    }
  }

  /// Whether the port speaks TLS. Sends it nothing secret, believes it nothing, and closes the connection.
  static func isSpoken(by url: BrokerURL, within limit: Duration) -> Bool {
    TLSLibrary.begin()
    guard let state = amqp_new_connection() else { return false }
    defer { amqp_destroy_connection(state) }
    guard let socket = amqp_ssl_socket_new(state) else { return false }
    amqp_ssl_socket_set_verify_peer(socket, 0)
    amqp_ssl_socket_set_verify_hostname(socket, 0)
    ERR_clear_error()
    var timeout = timeval(limit)
    let status = amqp_socket_open_noblock(socket, url.host, Int32(url.port), &timeout)
    return status == AMQP_STATUS_OK.rawValue || lastError()?.alert != nil
  }

  private static let signsOfOtherProtocol: Set<Int32> = [
    SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG,
  ]

  private static let signsOfOldVersion: Set<Int32> = [
    SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE,
    SSL_R_UNSUPPORTED_SSL_VERSION,
  ]

  /// One entry of OpenSSL's list of errors of this thread.
  private struct LibraryError {
    let code: UInt
    let reason: Int32
    let isOfTLS: Bool

    /// The alert of the other side that the error stands for.
    var alert: Int32? { isOfTLS && reason > SSL_AD_REASON_OFFSET ? reason - SSL_AD_REASON_OFFSET : nil }
    var isEndOfFile: Bool { !isOfTLS || reason == TLSSocket.unexpectedEnd }
    var text: String { ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)" }
  }

  /// SSL_R_UNEXPECTED_EOF_WHILE_READING, which OpenSSL has since 3.0.
  private static let unexpectedEnd: Int32 = 294

  /// The last error of this thread.
  private static func lastError() -> LibraryError? {
    let code = ERR_peek_last_error()
    guard code != 0 else { return nil }
    return LibraryError(
      code: code, reason: teller_ssl_reason(code), isOfTLS: teller_ssl_library(code) == ERR_LIB_SSL)
  }
}
