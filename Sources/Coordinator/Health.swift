package import JobModel
import JobTransport
import Ledger

/// The parts of a coordinator that show that they go on.
enum HealthPart {
  static let intake = "intake"
  static let recorder = "recorder"
  static let presence = "presence"
  static let requests = "requests"
  static let admin = "admin"
  static let chores = "chores"
  static let telling = "telling"
  static let notifier = "notifier"
  static let timekeeper = "timekeeper"
  static let queues = "queues"
  /// The coordinator's own message has come back to it, through the broker and one of its consumers.
  static let hearing = "hearing"
  /// Something was written to the ledger.
  static let ledger = "ledger"
}

/// What a coordinator is doing, as far as its health depends on it.
struct Activity: Hashable, Sendable {
  /// All its consumers are attached.
  var isServing = false
  var isDraining = false
  /// Another coordinator has its place on this broker.
  var isStandby = false
}

extension HealthReport {
  /// The health of a coordinator: it is ready when it is connected, hears, turns, and can write.
  static func coordinator(
    _ activity: Activity, _ broker: BrokerState, _ signs: SignsOfLife, at now: Duration
  ) -> HealthReport {
    var checks = [broker.check]
    if activity.isStandby {
      checks.append(
        Check("standby", isOK: false, detail: "another coordinator is active, and this one waits for it to end"))
    }
    checks.append(consumers(activity, signs, at: now))
    checks.append(signs.checkLoop("loop", HealthPart.timekeeper, at: now))
    checks.append(signs.check("ledger", HealthPart.ledger, did: "written", at: now))
    return HealthReport(checks)
  }

  /// All consumers share one channel: a message that comes through one of them shows that the broker serves all.
  private static func consumers(_ activity: Activity, _ signs: SignsOfLife, at now: Duration) -> Check {
    if activity.isDraining { return Check("consumers", isOK: false, detail: "draining") }
    guard activity.isServing else { return Check("consumers", isOK: false, detail: "not attached") }
    return signs.check("consumers", HealthPart.hearing, did: "its own message heard", at: now)
  }
}

extension CoordinatorService {
  /// Whether it is ready: connected, its consumers attached and heard from, its steps turning, its ledger writable. One
  /// that stands by or drains is not. Waits for nothing, whatever hangs.
  package func health() -> HealthReport {
    let (signs, now) = board.snapshot
    return .coordinator(activity, session.state, signs, at: now)
  }
}

extension Bookkeeper {
  /// How often the ledger is written when nothing else is to be recorded: seldom, and three times within the limit.
  static let touchInterval: Duration = .seconds(3)

  /// Shows from time to time that the ledger can be written, by writing to it.
  func touchLedger() throws(LedgerError) {
    let (signs, now) = board.snapshot
    if let age = signs.age(of: HealthPart.ledger, at: now), age < Bookkeeper.touchInterval { return }
    try turn { turn in
      try turn.ledger.touch()
      try turn.ledger.saveClock(clock.record(at: .now))
    }
    board.renew(HealthPart.ledger)
  }
}
