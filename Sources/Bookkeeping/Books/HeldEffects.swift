import JobModel

/// What one turn causes outside: it leaves when the turn is safe.
struct TurnEffects: Sendable {
  /// What is told, in this order.
  var outgoing: [Outgoing] = []
  /// The notifications of the stream, in sequence.
  var notifications: [Notification] = []
  /// The jobs that have another state, in this order; none if nobody watches.
  var changes: [JobChange] = []

  var isEmpty: Bool { outgoing.isEmpty && notifications.isEmpty && changes.isEmpty }
}

/// What turns cause outside, in the order of the turns, until each is safe.
///
///     turn 7 is recorded ─▶ its effects are held ─▶ turn 7 is safe ─▶ they leave
///
/// A turn that has written nothing has no number of its own. It has read what the turn before it wrote, and so its
/// effects wait for that turn.
struct HeldEffects {
  /// The last turn that has written something; 0: none, or turns are safe when they are recorded.
  private(set) var last: Int64 = 0
  /// The last turn that is safe.
  private(set) var safe: Int64 = 0
  /// The number of the last notification that the memory has made; 0: none since it was read from the ledger.
  private(set) var lastNotification: Int64 = 0
  private var held: [(turn: Int64, effects: TurnEffects)] = []

  /// While so many turns wait, no window is filled, and nothing is begun that can wait. Whoever hears others waits after
  /// each batch until it is safe: so no more turns wait than this, and one of each of them.
  static let limit = 256

  /// How many turns wait.
  var count: Int { held.count }
  var hasRoom: Bool { count < HeldEffects.limit }
  /// Whether everything that is recorded is safe.
  var areAllSafe: Bool { safe >= last }

  /// The turn has been recorded.
  mutating func begin(_ turn: Int64) { last = turn }

  /// Holds the effects of the last turn. A turn that causes nothing leaves nothing to hold.
  mutating func hold(_ effects: TurnEffects) {
    if effects.isEmpty { return }
    held.append((last, effects))
    lastNotification = effects.notifications.last?.seq ?? lastNotification
  }

  mutating func markSafe(upTo turn: Int64) { safe = max(safe, turn) }

  /// Takes the effects that may leave now.
  mutating func takeSafe() -> TurnEffects {
    let count = held.prefix { $0.turn <= safe }.count
    // One turn is the rule: nothing is copied.
    if count == 1 { return held.removeFirst().effects }
    defer { held.removeFirst(count) }
    return held.prefix(count).reduce(into: TurnEffects()) { all, turn in
      all.outgoing += turn.effects.outgoing
      all.notifications += turn.effects.notifications
      all.changes += turn.effects.changes
    }
  }

  /// The memory is read anew from the ledger, and tells what is not told yet. The numbers stay: what is recorded is no
  /// safer.
  mutating func forgetAll() { (held, lastNotification) = ([], 0) }

  /// A new session begins: it tells anew what is to be told. The stream still lacks the notifications.
  mutating func forgetOutgoing() {
    for index in held.indices { held[index].effects.outgoing = [] }
  }
}
