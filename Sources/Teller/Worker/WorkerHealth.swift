public import JobModel
import JobTransport

/// The parts of a worker that show that they go on.
enum WorkerPart {
  /// What happens every few seconds.
  static let tick = "tick"
  /// A presence was handed to the broker.
  static let presence = "presence"
  /// The worker's own message has come back to it, through the broker and its consumer.
  static let hearing = "hearing"
}

extension Worker {
  /// Whether the worker is ready to take jobs: connected to a broker that takes messages, welcomed by a coordinator on
  /// this connection, consuming every department and hearing its own messages, announcing itself, its loop turning.
  ///
  /// One that drains, and one whose ``run(trapsSignals:)`` has not begun or has ended, is not. That a handler hangs is
  /// not looked at. May be called at any time, from anywhere; waits for the worker's loop, so give it a limit.
  ///
  /// - Returns: the checks `broker`, `coordinator`, `consumers`, `presence` and `loop`.
  public func health() async -> HealthReport {
    await loop.health(broker: session.state)
  }
}

extension WorkerLoop {
  func health(broker: BrokerState) -> HealthReport {
    let (signs, now) = board.snapshot
    return HealthReport([
      broker.check, coordinatorCheck, consumersCheck(signs, at: now),
      signs.check("presence", WorkerPart.presence, did: "sent", at: now),
      signs.checkLoop("loop", WorkerPart.tick, at: now),
    ])
  }

  private var coordinatorCheck: HealthReport.Check {
    HealthReport.Check(
      "coordinator", isOK: isWelcomed,
      detail: isWelcomed ? "welcomed" : "no coordinator has welcomed this worker on its present connection")
  }

  private func consumersCheck(_ signs: SignsOfLife, at now: Duration) -> HealthReport.Check {
    if isDraining { return HealthReport.Check("consumers", isOK: false, detail: "draining") }
    let missing = isWelcomed ? tellers.unattended.map(\.name) : tellers.departments.map(\.name)
    guard missing.isEmpty else {
      return HealthReport.Check(
        "consumers", isOK: false, detail: "not attached: \(missing.joined(separator: ", "))")
    }
    return signs.check("consumers", WorkerPart.hearing, did: "its own message heard", at: now)
  }
}
