/// What went wrong with a connection, and who must act.
///
/// Every error but `.invalid` ends the connection: open another one.
package enum AMQPError: Error, Sendable, Hashable {
  /// Nobody answers at that address. Start the broker or correct the address.
  case cannotConnect(host: String, port: UInt16, reason: String)
  /// Something answers there, but no AMQP connection came about. Look at the broker.
  case handshake(reason: String)
  /// The broker refuses this user, password or virtual host. Correct the credentials or the permissions.
  case accessRefused(reason: String)
  /// The broker closed the channel: a request was not acceptable. `code` is AMQP's reply code.
  case channelClosed(code: UInt16, text: String)
  /// The broker closed the connection. `code` is AMQP's reply code.
  case connectionClosed(code: UInt16, text: String)
  /// The connection broke. What was published and not confirmed may or may not have arrived.
  case connectionLost(reason: String)
  /// The broker did not answer that operation in time.
  case timedOut(operation: String)
  /// The broker took nothing from the socket for the whole of `ConnectionOptions.sendTimeout`.
  case sendTimedOut
  /// This side closed the connection before.
  case closed
  /// No encrypted connection came about. Correct what the problem names: a file, a certificate, an address.
  case tlsFailed(host: String, port: UInt16, problem: TLSProblem)
  /// The caller asked for something that cannot be said in AMQP or exceeds a limit. Nothing was sent.
  case invalid(reason: String)

  /// Whether the same may succeed on a new connection without anybody changing anything.
  package var isTransient: Bool {
    switch self {
    case .cannotConnect, .handshake, .connectionLost, .timedOut, .sendTimedOut: true
    case .accessRefused, .closed, .tlsFailed, .invalid: false
    // A node that is shut down, an internal error, a resource error.
    case .connectionClosed(let code, _): [320, 506, 541].contains(code)
    case .channelClosed(let code, let text): Self.isTransientChannelClose(code: code, text: text)
    }
  }

  private static func isTransientChannelClose(code: UInt16, text: String) -> Bool {
    switch code {
    case 405, 506, 541: true  // an exclusive queue whose owner is about to be gone, a resource error, an internal error
    case 404: isOfQueueThatIsDown(text)
    case 406: isTransientPrecondition(text)
    default: false
    }
  }

  /// The broker knows the queue, and nobody answers for it: a broker that has just started has not recovered it yet, or
  /// the node that keeps it is down. It is then said to be stopped if that node was stopped in good order; if it was
  /// killed, this is said after more than a minute, long after most have stopped waiting for an answer.
  private static func isOfQueueThatIsDown(_ text: String) -> Bool {
    ["down or inaccessible", "due to timeout", "stopped by supervisor"].contains(where: text.contains)
  }

  /// Whether that may be because a queue is on a node that is down.
  package var mayMeanQueueIsDown: Bool {
    switch self {
    case .timedOut: true
    case .channelClosed(404, let text): Self.isOfQueueThatIsDown(text)
    default: false
    }
  }

  /// What a broker says that would not delete a queue because its node is away: the node was stopped in good order (541,
  /// 4.0.5), or the broker was started without it (404).
  package var saysQueueCannotBeDeleted: Bool {
    switch self {
    case .connectionClosed(541, _): true
    case .channelClosed(404, let text): Self.isOfQueueThatIsDown(text)
    default: false
    }
  }

  /// What the broker calls a failed precondition although the request was fine: its consumer timeout, since an ack was
  /// late; and a delivery tag that it does not know, since nothing is acked here that was not delivered, so that the tag
  /// was damaged on its way here or back. And one that tells how a queue is to be declared instead.
  private static func isTransientPrecondition(_ text: String) -> Bool {
    text.contains("delivery acknowledgement") && text.contains("timed out") || text.contains("unknown delivery tag")
      || text.contains("inequivalent arg '\(QueueArguments.consumerDisconnectedTimeoutName)'")
        && (text.contains("received none") || !text.contains("current is the value"))
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
