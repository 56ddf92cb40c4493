import AMQP
import Decisions
import JobModel
import JobTransport

/// What a worker says of itself.
extension WorkerLoop {
  /// Sends a presence whenever one is due. Each is made when it is sent: it lists what was read before any probe that it
  /// repeats. None after the goodbye: the coordinator would welcome this worker again, and wait for it.
  func announce(_ link: WorkerLink) async throws {
    for await _ in link.presenceDue.raised where end == nil {
      try await link.publishing.publish(PresenceCodec.encode(presence(isGoodbye: false)))
      board.renew(WorkerPart.presence)
      // Whether it comes back tells whether this worker hears at all.
      try await link.publishing.publish(ControlCodec.pulse(to: worker))
    }
  }

  func presence(isGoodbye: Bool) -> Presence {
    Presence(
      worker: worker, session: session, name: name,
      tellers: Dictionary(uniqueKeysWithValues: tellers.counts.map { ($0.key.name, $0.value) }),
      kinds: Set(registry.kinds),
      beside: Dictionary(uniqueKeysWithValues: tellers.beside.map { ($0.key.name, $0.value) }),
      paused: tellers.paused.map(\.name), ledger: isWelcomed ? ledger : nil, probe: tray.probe,
      running: isGoodbye ? [] : tray.listed,
      isDraining: isDraining, isGoodbye: isGoodbye)
  }
}
