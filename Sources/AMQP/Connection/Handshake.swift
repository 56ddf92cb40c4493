internal import CRabbitMQ
import Foundation

/// Connects and logs in. Blocks its thread, within a time limit: no other part waits inside the C library.
struct Handshake: Sendable {
  /// A connection that has logged in.
  struct Outcome: Sendable {
    let handle: BrokerHandle
    let serverVersion: String
  }

  let url: BrokerURL
  let options: ConnectionOptions

  func perform() throws(AMQPError) -> Outcome {
    let deadline = ContinuousClock.now + options.handshakeTimeout
    guard let state = amqp_new_connection() else { throw .handshake(reason: "there is no memory left") }
    do throws(AMQPError) {
      let tls = try secured(state)
      defer { tls?.leave() }
      try connect(state, tls, deadline: deadline)
      try logIn(state, tls, deadline: deadline)
    } catch {
      _ = amqp_destroy_connection(state)
      throw error
    }
    let serverVersion = Self.serverVersion(state)
    amqp_maybe_release_buffers(state)
    let handle = BrokerHandle(
      state: state, user: options.namesUser ? url.user : nil, limits: options.headers, sendTimeout: options.sendTimeout)
    return Outcome(handle: handle, serverVersion: serverVersion)
  }

  private func secured(_ state: amqp_connection_state_t) throws(AMQPError) -> TLSSocket? {
    guard url.isSecure else { return nil }
    do throws(TLSProblem) {
      return try TLSSocket(state, url: url)
    } catch {
      throw tlsFailure(error)
    }
  }

  private func connect(
    _ state: amqp_connection_state_t, _ tls: TLSSocket?, deadline: ContinuousClock.Instant
  ) throws(AMQPError) {
    guard let socket = tls?.socket ?? amqp_tcp_socket_new(state) else {
      throw .handshake(reason: "there is no memory left")
    }
    var timeout = timeval(timeUntil(deadline))
    errno = 0
    let status = amqp_socket_open_noblock(socket, url.host, Int32(url.port), &timeout)
    let systemError = errno
    guard status == AMQP_STATUS_OK.rawValue else {
      if let problem = tls?.problemOfConnecting(status: status) { throw tlsFailure(problem) }
      if status == AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue {
        throw .handshake(reason: "it closed the connection before that was encrypted")
      }
      let isRefused = status == AMQP_STATUS_SOCKET_ERROR.rawValue
      let reason = isRefused ? Self.reason(systemError) : describe(libraryStatus: status)
      throw .cannotConnect(host: url.host, port: url.port, reason: reason)
    }
    // Otherwise a child process would keep the connection of its dead parent alive.
    _ = fcntl(amqp_get_sockfd(state), F_SETFD, FD_CLOEXEC)
  }

  /// Why nobody has accepted the connection. The library keeps the system's reason only where that came at once.
  private static func reason(_ systemError: Int32) -> String {
    switch systemError {
    case ECONNREFUSED: "connection refused"
    case EMFILE, ENFILE: "no file descriptor is left"
    case EHOSTUNREACH, ENETUNREACH: "no route to this address"
    default: "connection refused, or the address cannot be reached"
    }
  }

  private func logIn(
    _ state: amqp_connection_state_t, _ tls: TLSSocket?, deadline: ContinuousClock.Instant
  ) throws(AMQPError) {
    var timeout = timeval(timeUntil(deadline))
    _ = amqp_set_handshake_timeout(state, &timeout)
    _ = amqp_set_rpc_timeout(state, &timeout)
    let arena = WireArena()
    var properties = try arena.table(clientProperties)
    let seconds = min(max(1, options.heartbeat.components.seconds), Int64(UInt16.max))
    let reply = teller_login_plain(
      state, url.virtualHost, Int32(clamping: options.frameMax), Int32(seconds), &properties, url.user, url.password)
    switch reply.reply_type {
    case AMQP_RESPONSE_NORMAL: return
    case AMQP_RESPONSE_SERVER_EXCEPTION: throw Self.refusal(reply.reply)
    default: throw failure(status: reply.library_error, tls, deadline: deadline)
    }
  }

  private var clientProperties: FieldTable {
    [
      "connection_name": .string(options.name),
      // The broker uses these features only with a client that announces them.
      "capabilities": [
        "publisher_confirms": true,
        "basic.nack": true,
        "consumer_cancel_notify": true,
        "connection.blocked": true,
        "authentication_failure_close": true,
      ],
    ]
  }

  private func timeUntil(_ deadline: ContinuousClock.Instant) -> Duration {
    // Zero would mean "for ever" to some of the library's calls.
    max(.milliseconds(1), deadline - .now)
  }

  private static func refusal(_ method: amqp_method_t) -> AMQPError {
    guard method.id == AMQP_CONNECTION_CLOSE_METHOD, let decoded = method.decoded else {
      return .handshake(reason: "it answered with method \(method.id)")
    }
    let close = decoded.load(as: amqp_connection_close_t.self)
    let text = close.reply_text.repairedText
    // "Not allowed" means a virtual host that is missing or forbidden.
    let isRefusal = [Int32(AMQP_ACCESS_REFUSED), Int32(AMQP_NOT_ALLOWED)].contains(Int32(close.reply_code))
    return isRefusal ? .accessRefused(reason: text) : .connectionClosed(code: close.reply_code, text: text)
  }

  private func failure(status: Int32, _ tls: TLSSocket?, deadline: ContinuousClock.Instant) -> AMQPError {
    let isLate = status == AMQP_STATUS_TIMEOUT.rawValue
    if isLate { return .handshake(reason: "it accepts the connection but does not answer in time") }
    if let problem = tls?.problemOfLoggingIn(within: timeUntil(deadline)) { return tlsFailure(problem) }
    // A port for TLS and a broker that is starting end a plain connection in the same way: only asking tells.
    if tls == nil, TLSSocket.isSpoken(by: url, within: timeUntil(deadline)) { return tlsFailure(.onlyTLS) }
    return .handshake(reason: describe(libraryStatus: status))
  }

  private func tlsFailure(_ problem: TLSProblem) -> AMQPError {
    .tlsFailed(host: url.host, port: url.port, problem: problem)
  }

  private static func serverVersion(_ state: amqp_connection_state_t) -> String {
    guard let properties = amqp_get_server_properties(state)?.pointee else { return "" }
    // Larger than for messages: the broker's own table has its capabilities.
    var reader = TableReader(limits: HeaderLimits(depth: 4, entries: 128, bytes: 16 << 10))
    return reader.read(properties)["version"]?.string ?? ""
  }
}
