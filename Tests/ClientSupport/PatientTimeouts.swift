package import Teller
import TestSupport

extension ClientTimeouts {
  /// Those of a client that waits for as long as its test does: on a busy machine the broker, the coordinator and what is
  /// harmed are away for longer than a client waits by default.
  package static var patient: ClientTimeouts {
    var timeouts = ClientTimeouts()
    (timeouts.connect, timeouts.submit, timeouts.request) = (patience, patience, patience)
    (timeouts.coordinator, timeouts.unknown, timeouts.missingEvents) = (patience * 2, patience * 2, patience)
    return timeouts
  }
}
