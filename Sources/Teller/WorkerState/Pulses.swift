/// The pulses that a worker sends to itself through the broker, on the present connections. A pulse comes back behind
/// everything that lay in the worker's socket before it.
struct Pulses {
  /// How many are timed. Those beyond it are not: the first ones say enough.
  static let limit = 64

  private(set) var sent = 0
  private var heard = 0
  /// What was delivered before that one comes back is in doubt.
  var awaited = 0
  /// Those that have not come back, without those that were doubted before.
  private var underWay: [(number: Int, since: WorkerState.Instant)] = []

  /// Whether the worker waits for a pulse before it believes again that a delivery is new.
  var isDoubtful: Bool { heard < awaited }

  mutating func send(at now: WorkerState.Instant) {
    sent += 1
    if underWay.last?.number != sent, underWay.count < Pulses.limit { underWay.append((sent, now)) }
  }

  /// One has come back. One that was lost is as good as back then. A number that was not sent, or none, is somebody else's.
  mutating func hear(_ number: Int?) {
    guard let number, number > heard, number <= sent else { return }
    heard = number
    underWay.removeAll { $0.number <= number }
  }

  /// Whether one has been under way for longer than that: the broker may have heard nothing of this worker since, and what
  /// is read now may be as old. So it is during an alarm of the broker, too, although no lease passes then: that the alarm
  /// is over may lie in the socket, behind a network that stands still.
  func isLate(by limit: Duration, at now: WorkerState.Instant) -> Bool {
    underWay.first.map { now - $0.since > limit } ?? false
  }

  /// Only a pulse that is sent from now on shows that what is delivered is new. It is timed from now on, also if it cannot
  /// be sent yet.
  mutating func doubt(at now: WorkerState.Instant) {
    awaited = sent + 1
    underWay = [(awaited, now)]
  }
}
