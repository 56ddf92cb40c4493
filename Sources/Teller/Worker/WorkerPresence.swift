import AMQP
import Decisions
import JobModel
import JobTransport

extension WorkerLoop {
  /// Sends a presence each time when one is due. A presence is made when it is sent, so it lists every delivery that
  /// was read before the probe that it repeats. None is sent after the goodbye: the coordinator would welcome the
  /// worker again.
  func announce(_ link: WorkerLink) async throws {
    for await _ in link.presenceDue.raised where end == nil {
      try await link.publishing.publish(PresenceCodec.encode(presence(isGoodbye: false)))
      board.renew(WorkerPart.presence)
      // It comes back by the control queue: that shows that this worker hears.
      pulses.sent += 1
      try await link.publishing.publish(ControlCodec.pulse(to: worker))
    }
  }

  func presence(isGoodbye: Bool) -> Presence {
    var presence = Presence(
      worker: worker, session: session, name: name,
      tellers: Dictionary(uniqueKeysWithValues: tellers.counts.map { ($0.key.name, $0.value) }),
      kinds: Set(registry.kinds),
      beside: Dictionary(uniqueKeysWithValues: tellers.beside.map { ($0.key.name, $0.value) }),
      ahead: Dictionary(uniqueKeysWithValues: tellers.orderedAhead.map { ($0.key.name, $0.value) }),
      paused: tellers.paused.map(\.name),
      stuck: Dictionary(uniqueKeysWithValues: stuckTellers.map { ($0.key.name, $0.value) }),
      ledger: isWelcomed ? ledger : nil, probe: tray.probe, running: isGoodbye ? [] : tray.listed,
      waiting: isGoodbye ? [] : tray.waiting,
      isDraining: isDraining, isGoodbye: isGoodbye)
    // Also of one that does not ask: a coordinator that has just started welcomes it all the same.
    presence.sentMs = (ContinuousClock.now - beganAt).milliseconds
    presence.drainMs = drainsUntil.map { ($0 - .now).milliseconds }
    return presence
  }
}
