/// An error of a connection. Each case says who must act.
///
/// Every error but `.invalid` ends the connection: open another one.
package enum AMQPError: Error, Sendable, Hashable {
  /// Nobody answers at that address. Start the broker or correct the address.
  case cannotConnect(host: String, port: UInt16, reason: String)
  /// Something answers at that address, but no AMQP connection came about. Look at the broker.
  case handshake(reason: String)
  /// The broker refuses this user, password or virtual host. Correct the credentials or the permissions.
  case accessRefused(reason: String)
  /// The broker refused a request and closed the channel. `code` is AMQP's reply code.
  case channelClosed(code: UInt16, text: String)
  /// The broker closed the connection. `code` is AMQP's reply code.
  case connectionClosed(code: UInt16, text: String)
  /// The connection broke. A message without a confirm may or may not have arrived.
  case connectionLost(reason: String)
  /// The broker did not answer that operation in time.
  case timedOut(operation: String)
  /// The broker took nothing from the socket for the whole of `ConnectionOptions.sendTimeout`.
  case sendTimedOut
  /// This side closed the connection before.
  case closed
  /// No encrypted connection came about. Correct the file, the certificate or the address that the problem names.
  case tlsFailed(host: String, port: UInt16, problem: TLSProblem)
  /// AMQP cannot express the request, or the request exceeds a limit. Correct the caller. Nothing was sent.
  case invalid(reason: String)

  /// AMQP's code for what a user may not do.
  package static let accessRefusedCode: UInt16 = 403
  /// AMQP's code for an exchange or a queue that is not there.
  package static let notFoundCode: UInt16 = 404
  /// AMQP's code for a request that contradicts what is there, or a limit: a queue with other arguments, a message that
  /// is too large.
  package static let preconditionFailedCode: UInt16 = 406
  /// AMQP's code for a frame that is larger than agreed.
  package static let frameTooLargeCode: UInt16 = 501

  /// Whether a new connection may succeed although nobody has changed anything.
  package var isTransient: Bool {
    switch self {
    case .cannotConnect, .handshake, .connectionLost, .timedOut, .sendTimedOut: true
    case .accessRefused, .closed, .tlsFailed, .invalid: false
    // A node that is shut down, an internal error, a resource error.
    case .connectionClosed(let code, _): [320, 506, 541].contains(code)
    // An exclusive queue whose owner will soon be gone, a resource error, an internal error.
    case .channelClosed(405, _), .channelClosed(506, _), .channelClosed(541, _): true
    case .channelClosed(404, _): saysQueueIsDown
    case .channelClosed(406, let text): Self.isTransientPrecondition(text)
    case .channelClosed: false
    }
  }

  /// Whether the broker knows a queue, and no node answers for the queue. Either a broker that has just started has not
  /// recovered the queue yet, or the queue's node is down. RabbitMQ says "stopped" of a node that was shut down in good
  /// order. Of a node that was killed RabbitMQ says so after more than a minute, when most callers wait no more.
  package var saysQueueIsDown: Bool {
    guard case .channelClosed(404, let text) = self else { return false }
    return ["down or inaccessible", "due to timeout", "stopped by supervisor"].contains(where: text.contains)
  }

  /// Whether the broker refused a consumer because the queue has another one, and one of the two wants the queue alone.
  package var saysQueueIsInUse: Bool {
    guard case .channelClosed(Self.accessRefusedCode, let text) = self else { return false }
    return text.contains("in exclusive use")
  }

  /// Two refusals that RabbitMQ calls a failed precondition although the request was right. One is the consumer timeout:
  /// an ack came too late. The other is an unknown delivery tag: this side acks no tag that was not delivered, so the tag
  /// was damaged on one of its two ways.
  private static func isTransientPrecondition(_ text: String) -> Bool {
    text.contains("delivery acknowledgement") && text.contains("timed out") || text.contains("unknown delivery tag")
  }
}

extension AMQPError {
  /// What happened, without advice and without a full stop: a sentence may go on behind it.
  package var cause: String {
    let text =
      switch self {
      case .cannotConnect(let host, let port, let reason): "\(host):\(port): \(reason)"
      case .handshake(let reason): "it does not complete the AMQP handshake: \(reason)"
      case .accessRefused(let reason), .invalid(let reason): reason
      case .channelClosed(let code, let text): "it refused a request with \(code): \(text)"
      case .connectionClosed(let code, let text): "it closed the connection with \(code): \(text)"
      case .connectionLost(let reason): "the connection is lost: \(reason)"
      case .timedOut(let operation): "no answer in time: \(operation)"
      case .sendTimedOut: "it took nothing from the socket for too long"
      case .closed: "this process closed the connection"
      case .tlsFailed: description
      }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension AMQPError {
  /// The broker's own words of a refused request; of any other error its cause.
  package var brokersWords: String {
    if case .channelClosed(_, let text) = self { text } else { cause }
  }
}

extension AMQPError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotConnect(let host, let port, let reason):
      "Cannot connect to the broker at \(host):\(port): \(reason). Is it running, and is the address right?"
    case .handshake(let reason):
      "The broker did not complete the AMQP handshake: \(reason). Is this RabbitMQ's AMQP port, and is it healthy?"
    case .accessRefused(let reason):
      "The broker refuses access: \(reason). Check user, password, virtual host and permissions."
    case .channelClosed(let code, let text): "The broker refused a request with \(code): \(text)."
    case .connectionClosed(let code, let text): "The broker closed the connection with \(code): \(text)."
    case .connectionLost(let reason):
      "The connection to the broker is lost: \(reason). Messages without a confirm may or may not have arrived."
    case .timedOut(let operation): "The broker did not answer in time: \(operation). Is it overloaded or frozen?"
    case .sendTimedOut: "The broker took nothing from the socket for too long. Is it overloaded or frozen?"
    case .closed: "The connection to the broker was closed by this process."
    case .tlsFailed(let host, let port, let problem): "No connection to the broker at \(host):\(port): \(problem)"
    case .invalid(let reason): "This request is not valid: \(reason)."
    }
  }
}
