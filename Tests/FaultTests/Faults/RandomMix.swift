import AuditSupport
import Foundation
import JobModel
import SystemSupport
import TestSupport

/// Faults one after the other, as chance has it, for a stated time, while jobs are submitted all the time.
struct RandomMix {
  let stage: Stage
  var random: SeededRandom

  /// What it may choose from.
  static let faults: [Fault] = [
    .workerKilled, .workerFrozenForAMoment, .workerTerminated, .coordinatorKilled, .coordinatorFrozenForAMoment,
    .coordinatorTerminated, .brokerKilled, .brokerFrozenForAMoment, .brokerStopped, .connectionsClosed,
    .memoryAlarmForAMoment,
    .diskAlarm, .queuePurged, .queueDeleted, .ledgerLocked, .lineReset, .lineSplits, .lineDelays,
    .lineBlackHoleForAMoment,
    .everybodyKilled, .brokerWiped, .poison, .hanging, .flood, .coordinatorDiesBetweenSteps, .coordinatorDiesCommanded,
    .notifierDies, .coordinatorDies(at: "recorder.after-record-before-ack"),
    .coordinatorDiesAdopting(at: "adoption.after-record-before-answer"),
    .coordinatorDiesGranting(at: "claims.after-record-before-answer"),
    .workersDie(at: ["worker.handler-started", "worker.before-report", "worker.after-report-before-ack"]),
  ]

  /// What it cannot choose from, and why.
  static let missing = """
    not in the mix: a full ledger disk (it belongs to one coordinator, and would be gone with it), flipped bytes \
    (nothing could be said of the jobs they hit), a worker's own bad line (all share one), clocks that are set \
    (only processes that were started with such a clock go by it)
    """

  /// Harms and heals until the time is over.
  /// - Returns: how often each fault came.
  mutating func run(for time: Duration) async throws -> [String: Int] {
    let end = ContinuousClock.now + time
    var counts: [String: Int] = [:]
    print(RandomMix.missing)
    while ContinuousClock.now < end {
      guard let fault = RandomMix.faults.randomElement(using: &random) else { break }
      counts[fault.name, default: 0] += 1
      print("mix: \(fault.name)")
      do {
        try await stage.suffer(fault)
        try await stage.replaceTheDead()
      } catch {
        throw StageError(what: "\(fault.name): \(error)")
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000, using: &random)))
    }
    return counts
  }
}

extension Fault {
  static let workerFrozenForAMoment = Fault(name: "worker: SIGSTOP") { stage in
    let worker = try await stage.aWorker()
    try await worker.freeze()
    try await Task.sleep(for: Fault.moment)
    worker.thaw()
  }

  static let coordinatorFrozenForAMoment = Fault(name: "coordinator: SIGSTOP") { stage in
    try await stage.serving().freeze()
    try await Task.sleep(for: Fault.moment)
    try await stage.serving().thaw()
  }

  static let brokerFrozenForAMoment = Fault(name: "broker: SIGSTOP") { stage in
    try await stage.broker.freeze()
    try await Task.sleep(for: Fault.moment)
    try await stage.broker.thaw()
  }

  static let memoryAlarmForAMoment = Fault(name: "broker: memory alarm") { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.0001")
    try await Task.sleep(for: Fault.moment)
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.4")
  }

  static let lineBlackHoleForAMoment = Fault(name: "line: black hole", setting: .badLine) { stage in
    try stage.badLine().weather = .blackHole
    try await Task.sleep(for: Fault.moment)
    try stage.badLine().weather = .clear
  }
}
