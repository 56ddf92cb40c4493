import Decisions
package import JobModel
import JobTransport
import Logging

/// The end of a worker, and how it stands meanwhile. A drain lets running and claimed jobs finish.
extension WorkerState {
  /// Begins a drain. The worker takes no further job, gives back every delivery that is neither started nor claimed, and
  /// finishes running jobs. Open claims are repeated until they are answered, and run if they are granted: they hold the
  /// drain while the coordinator is away. So does a stuck handler.
  mutating func drain(at now: Instant) {
    guard !isDraining else { return }
    drainsUntil = now + timeouts.drain
    act(.beginDrain)
    act(.endWaits)
    act(
      .log(
        .notice,
        """
        draining: \(tray.running.count) jobs still run, \(tray.openClaims.count) wait for the coordinator's word, \
        \(outbox.unconfirmed) reports wait for the broker
        """))
    act(.due(.staffing))
    // The coordinator learns from the presence that this worker takes no further job.
    act(.due(.presence))
  }

  /// Ends a drain once no release is claimed, runs, is being reported, or has still to be given back.
  mutating func endIfDrained() {
    guard isDraining, end == nil, jobs.isEmpty, tagsToAck.isEmpty, !tellers.hasConsumers, !tellers.hasWaiting
    else { return }
    end(endOfDrain)
  }

  /// How the worker stands, with every delivery that was handed in before. `stuck`: how many tellers of each department have a
  /// handler that does not react; without those that have none.
  package func presence(isGoodbye: Bool, stuck: [Department: Int], at now: Instant) -> Presence {
    var presence = Presence(
      worker: worker, session: session, name: name,
      tellers: Dictionary(uniqueKeysWithValues: tellers.counts.map { ($0.key.name, $0.value) }),
      kinds: Set(policies.keys),
      beside: Dictionary(uniqueKeysWithValues: tellers.beside.map { ($0.key.name, $0.value) }),
      ahead: Dictionary(uniqueKeysWithValues: tellers.orderedAhead.map { ($0.key.name, $0.value) }),
      paused: tellers.paused.map(\.name),
      stuck: Dictionary(uniqueKeysWithValues: stuck.map { ($0.key.name, $0.value) }),
      ledger: isWelcomed ? ledger : nil, probe: tray.probe, running: isGoodbye ? [] : tray.listed,
      waiting: isGoodbye ? [] : tray.waiting,
      isDraining: isDraining, isGoodbye: isGoodbye)
    // Also of one that does not ask: a coordinator that has just started welcomes it all the same.
    presence.sentMs = (now - beganAt).milliseconds
    presence.drainMs = drainsUntil.map { ($0 - now).milliseconds }
    return presence
  }
}
