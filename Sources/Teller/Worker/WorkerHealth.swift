public import JobModel
import JobTransport

/// The parts of a worker that give signs of life.
enum WorkerPart {
  /// The loop's tick.
  static let tick = "tick"
  /// The broker took a presence.
  static let presence = "presence"
  /// The worker's own message came back to it, through the broker and its consumer.
  static let hearing = "hearing"
}

extension Worker {
  /// Asks whether the worker is ready to take jobs. A worker is not ready while it drains, before ``run()``
  /// and after it, and while all tellers of one of its departments are stuck. A handler that hangs before its time
  /// limit changes nothing.
  ///
  /// May be called at any time, from any task. It waits for the worker's loop, so give it a limit.
  ///
  /// - Returns: The checks. `broker`: connected to a broker that takes messages. `coordinator`: welcomed on the present
  ///   connection. `consumers`: consumes every department, and hears its own messages. `presence`: sends its presence.
  ///   `loop`: its loop turns. `threads`: those that its handlers need can be started. `tellers`: each department has one
  ///   that is not stuck.
  public func health() async -> HealthReport {
    await loop.health(broker: session.check)
  }
}

extension WorkerLoop {
  func health(broker: HealthReport.Check) -> HealthReport {
    let (signs, now) = board.snapshot
    return HealthReport([
      broker, coordinatorCheck, consumersCheck(signs, at: now),
      signs.check("presence", WorkerPart.presence, did: "sent", at: now),
      signs.checkLoop("loop", WorkerPart.tick, at: now), threadsCheck, tellersCheck,
    ])
  }

  private var threadsCheck: HealthReport.Check {
    let missing = threads.shortages.min { $0.key.name < $1.key.name }
    return HealthReport.Check(
      "threads", isOK: missing == nil,
      detail: missing.map { "none can be started for \($0.key): \($0.value.reason)" } ?? "can be started")
  }

  /// A department whose handlers all ignore their cancellation does nothing any more.
  private var tellersCheck: HealthReport.Check {
    let (stuck, counts) = (stuckTellers, state.tellers.counts)
    let full = stuck.keys.sorted().filter { counts[$0] ?? 0 > 0 && stuck[$0] ?? 0 >= counts[$0] ?? 0 }
    let detail = full.map { "\(counts[$0] ?? 0) of \(counts[$0] ?? 0) in \($0)" }.joined(separator: ", ")
    return HealthReport.Check(
      "tellers", isOK: full.isEmpty,
      detail: full.isEmpty
        ? "\(stuck.values.reduce(0, +)) stuck"
        : "stuck: \(detail); their handlers were told to stop and have not: end this process, or wait for them")
  }

  private var coordinatorCheck: HealthReport.Check {
    HealthReport.Check(
      "coordinator", isOK: state.isWelcomed,
      detail: state.isWelcomed ? "welcomed" : "no coordinator has welcomed this worker on its present connection")
  }

  private func consumersCheck(_ signs: SignsOfLife, at now: Duration) -> HealthReport.Check {
    if state.isDraining { return HealthReport.Check("consumers", isOK: false, detail: "draining") }
    let departments = (state.isWelcomed ? state.tellers.unattended : state.tellers.departments).map { JobQueue($0) }
    let missing = (departments + (state.isWelcomed ? state.tellers.refusedBeside : [])).map { missingText($0) }
    guard missing.isEmpty else {
      return HealthReport.Check(
        "consumers", isOK: false, detail: "not attached: \(missing.joined(separator: ", "))")
    }
    return signs.check("consumers", WorkerPart.hearing, did: "its own message heard", at: now)
  }

  /// A queue that is not consumed; where the broker refuses it, with the broker's words.
  private func missingText(_ queue: JobQueue) -> String {
    let name = queue.kind.map { "kind \($0) of \(queue.department)" } ?? "\(queue.department)"
    return state.refused.reasons[queue].map { "\(name) (\($0))" } ?? name
  }
}
