import AuditSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport
import Testing

/// One fault on one stage: harm, heal, wait for the first new success, drain, look, compare.
struct Trial {
  /// How long a healed system may take until nothing is under way: two leases for what was purged, and again two for what
  /// that brings to light; more, because it is only ever spent on failure.
  static let drainLimit: Duration = .seconds(150)

  /// How long jobs are submitted to a system that serves again.
  static let aftermath: Duration = .seconds(2)

  let stage: Stage

  static func run(_ fault: Fault, on broker: BrokerNode) async throws {
    let started = ContinuousClock.now
    let stage = try await Stage(
      on: broker, fault.setting, ahead: fault.ahead, inFirstVirtualHost: fault.isInFirstVirtualHost)
    do {
      try await stage.begin()
      var row = try await Trial(stage: stage).run(fault)
      row.took = .now - started
      FaultTable.shared.add(row)
      for (invariant, violations) in row.violations where !violations.isEmpty {
        Issue.record(
          """
          \(fault.name): \(invariant.rawValue): \(violations.joined(separator: "; "))
          \(stage.system.lines(ofJobsIn: violations))
          \(stage.system.logs)
          """)
      }
    } catch {
      FaultTable.shared.add(FaultTable.Row(fault: fault.name, violations: [:], recovery: nil, failure: "\(error)"))
      Issue.record("\(fault.name): \(error)\n\(stage.system.logs)")
    }
    try await stage.close()
  }

  private func run(_ fault: Fault) async throws -> FaultTable.Row {
    let looking = Task { await look() }
    defer { looking.cancel() }
    try await stage.suffer(fault)
    let recovery = await recover(since: .now)
    // What comes up only in a while, such as what was lost on the way, meets new jobs.
    try await Task.sleep(for: Trial.aftermath)
    let findings = try await findings(recovery, looking)
    let record = stage.history.record
    let checker = Checker(
      record: record, findings: findings, cutOffs: await stage.cutOffs, wipes: await stage.wipes,
      allowances: await stage.allowances)
    return FaultTable.Row(
      fault: fault.name, violations: checker.check(), recovery: recovery.time, counts: checker.counts,
      notes: await stage.notes, failure: nil)
  }

  /// From time to time: how many jobs are released.
  private func look() async {
    while !Task.isCancelled {
      await stage.lookAtWindows()
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Waits for the success of a job that was submitted from now on.
  func recover(since healed: Moment) async -> Recovery {
    let first = { stage.history.record.firstSuccess(ofJobsSince: healed) }
    try? await eventually("a new success", within: Checker.recoveryCap) { first() != nil }
    return Recovery(healed: healed, time: first().map { $0 - healed })
  }

  /// Waits until nothing is under way, and looks at everything. What does not end in time is found by the checker.
  private func findings(_ recovery: Recovery, _ looking: Task<Void, Never>) async throws -> Findings {
    stage.submitter.stop()
    await stage.operators.stop()
    try? await eventually("nothing is under way", within: Trial.drainLimit) { try await isDrained() }
    // From now on nobody asks anything: a question that is left in a queue is one that the coordinator left there.
    looking.cancel()
    await looking.value
    return try await inspection.findings(recovery)
  }

  private var inspection: Inspection {
    get async { Inspection(stage: stage, allowances: await stage.allowances) }
  }

  private func isDrained() async throws -> Bool {
    guard try await hasNothingOpen() else { return false }
    let inspection = await inspection
    guard try await inspection.isEmptyEnough(inspection.queues()) else { return false }
    // What was still in a queue before is in the ledger now.
    return try await hasNothingOpen()
  }

  private func hasNothingOpen() async throws -> Bool {
    let ledger = try await stage.readLedger()
    guard try ledger.open() == 0 else { return false }
    let accepted = try ledger.accepted()
    let record = stage.history.record
    let promised = record.promised(await stage.wipes)
    // Of jobs with the same key one is enough.
    let keys = Set(accepted.compactMap { record.wanted[$0]?.key })
    return promised.allSatisfy { accepted.contains($0) || record.wanted[$0]?.key.map(keys.contains) ?? false }
  }
}
