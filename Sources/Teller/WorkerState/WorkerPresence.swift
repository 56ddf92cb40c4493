import Decisions
package import JobModel
import JobTransport

/// How a worker stands: what its presences say.
extension WorkerState {
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
      waiting: isGoodbye ? [] : waiting,
      isDraining: isDraining, isGoodbye: isGoodbye)
    // Also of one that does not ask: a coordinator that has just started welcomes it all the same.
    presence.sentMs = (now - beganAt).milliseconds
    presence.drainMs = drainsUntil.map { ($0 - now).milliseconds }
    return presence
  }

  /// Every release in the worker's hands that has not begun: its message is not lost. One without a place in the tray is
  /// claimed once it has a teller. A release of another ledger says nothing to this one, whose numbers are others.
  private var waiting: [WaitingRelease] {
    let kept = tellers.waiting
    let beside = kept.map(\.assignment).filter { !tray.has($0.release) && $0.ledger == ledger }
      .map { WaitingRelease(release: $0.release, token: $0.token, mustClaim: true) }
    let ahead = kept.filter { tray.isWaiting($0.assignment.release, tag: $0.tag) }.map(\.assignment)
    let foreign = Set((ahead + jobs.values.map(\.assignment)).filter { $0.ledger != ledger }.map(\.release))
    // Of two messages of a release, one is enough.
    return tray.waiting.filter { !foreign.contains($0.release) } + Set(beside)
  }
}
