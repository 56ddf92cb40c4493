import SystemSupport
import Teller

extension ClientTimeouts {
  /// Those of a client that waits for as long as its test does: what is harmed may be away for longer than a client waits by
  /// default, where the machine is busy.
  static var patient: ClientTimeouts {
    var timeouts = ClientTimeouts()
    (timeouts.submit, timeouts.request) = (TellerSystem.limit, TellerSystem.limit)
    (timeouts.coordinator, timeouts.unknown) = (TellerSystem.longLimit, TellerSystem.longLimit)
    return timeouts
  }
}
