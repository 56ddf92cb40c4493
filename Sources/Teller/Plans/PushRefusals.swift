public import Hosting
import JobModel

// Which errors of ``TellerClient/send(_:)`` say that the same push would be refused again.

extension JobError: PushRefusal {
  /// True, unless a plan keeps as many events as it may: somebody may start it, or decide about some.
  public var isFinalRefusal: Bool { failure.code != JobFailure.Code.tooManyEvents }
}

extension TellerError: PushRefusal {
  /// True when the push cannot be sent as it is. All other errors are about the broker, the coordinator or the client.
  public var isFinalRefusal: Bool {
    switch self {
    case .invalid, .payloadTooLarge, .messageRefused: true
    default: false
    }
  }
}
