import Teller

/// How long the commands that wait for jobs, or for an operation, try and wait.
enum OutcomeWait {
  /// The timeout for the answer to a question. The coordinator may be replaced meanwhile: then the question is asked again.
  static let requestLimit: Duration = .seconds(5)

  /// The timeouts of the client that asks. `within`: the limit for the whole wait, the connection included.
  static func timeouts(within limit: Duration? = nil) -> ClientTimeouts {
    var timeouts = ClientTimeouts.forPeople
    timeouts.request = requestLimit
    if let limit { timeouts.connect = min(timeouts.connect, limit) }
    return timeouts
  }

  /// The timeouts of a client that submits. `within`: the limit until a coordinator has accepted, the connection included.
  static func submitting(within limit: Duration) -> ClientTimeouts {
    var timeouts = ClientTimeouts.forPeople
    // Who gives less time than usual does not wait for a long queue either.
    if limit < timeouts.coordinator { timeouts.unknown = limit }
    (timeouts.coordinator, timeouts.submit) = (limit, limit)
    timeouts.connect = min(timeouts.connect, limit)
    return timeouts
  }

  /// How long the wait goes on without an answer of broker and coordinator.
  static let patience = ClientTimeouts.forPeople.coordinator
}

extension TellerError {
  /// Whether the error may pass: a broker or a coordinator may be in the middle of being replaced.
  var mayPass: Bool {
    switch self {
    case .noCoordinator, .brokerUnavailable, .brokerBlocked: true
    default: false
    }
  }
}
