import AuditSupport
import Foundation
import JobModel
import Synchronization
import SystemSupport
import Teller
import TestSupport

/// Looks at everything that is there of a stage's system.
struct Inspection {
  /// How long the notification stream may take to tell the last outcome.
  static let streamLimit: Duration = .seconds(60)
  /// How long what is under way may take.
  static let queueLimit: Duration = .seconds(60)
  /// The queues that end empty; the others hold what is repeated all the time (presence), belongs to one process, or is
  /// kept (the stream).
  static let emptyAtTheEnd: Set<String> = [
    "teller.submissions.2", "teller.reports.2", "teller.requests", "teller.rejected", "teller.department.work",
    "teller.department.other", "teller.department.work.kind.aside", "teller.department.other.kind.aside",
  ]

  let stage: Stage
  let allowances: [Allowance]

  func findings(_ recovery: Recovery) async throws -> Findings {
    var findings = Findings()
    findings.recovery = recovery.time
    findings.queues = try await queuesAtTheEnd()
    findings.ledger = try await stage.readLedger().findings()
    var ended = Set(findings.ledger.jobs.filter { $0.value.isFinal }.keys)
    // What was announced before the broker lost its disk is not expected again.
    if let last = await stage.wipes.map(\.until).max() {
      ended.formIntersection(stage.history.record.submissions(since: last))
    }
    findings.announced = try await announced(until: ended)
    findings.runs = Run.runs(of: stage.system.effectLines)
    findings.processes = processes()
    findings.endedByThemselves = await stage.ended.map { "process \($0.pid), with status \($0.exitStatus ?? 0)" }
    findings.released = await stage.mostReleased.mapValues { ($0, Stage.window + Stage.reserves) }
    return findings
  }

  /// What is left in them. A question that a client asks just now is no leftover: it is looked at again.
  private func queuesAtTheEnd() async throws -> [String: Int] {
    let last = Mutex<[String: Int]>([:])
    try? await eventually("the queues are empty", within: Inspection.queueLimit) {
      let found = try await queues()
      last.withLock { $0 = found }
      return isEmptyEnough(found)
    }
    return last.withLock { $0 }
  }

  /// Whether nothing is left in those that end empty.
  func isEmptyEnough(_ queues: [String: Int]) -> Bool {
    queues.allSatisfy { $0.value == 0 || allowances.queuesLeftAlone.contains($0.key) }
  }

  /// Messages, delivered or not, by queue; −1 where nobody answers for it.
  func queues() async throws -> [String: Int] {
    try await stage.broker.queues(of: stage.system.brokerURL)
      .filter { Inspection.emptyAtTheEnd.contains($0.key) }.mapValues { $0.messages ?? -1 }
  }

  /// How often each job's outcome is in the stream, under different numbers, once all these have been seen.
  private func announced(until ended: Set<JobID>) async throws -> [JobID: Int] {
    let client = try await stage.customers.any()
    let counted = Counted()
    let reading = Task {
      let outcomes = EventFilter(events: ["succeeded", "failed", "cancelled"])
      for try await event in try await client.events(since: .start, matching: outcomes) { counted.add(event) }
    }
    defer { reading.cancel() }
    try? await eventually("every outcome is announced", within: Inspection.streamLimit) {
      counted.jobs.isSuperset(of: ended)
    }
    return counted.counts
  }

  private func processes() -> [ProcessFindings] {
    let secret = BrokerPort.password(in: stage.system.brokerURL)
    let customers = (stage.customers.log.lines + stage.impatient.log.lines).count { $0.contains(secret) }
    return stage.system.processes.map { name, process in
      ProcessFindings(
        name: "\(name) (\(process.pid))", status: process.exitStatus,
        peakMemory: process.exitStatus == nil ? try? process.peakMemory() : nil,
        descriptors: process.exitStatus == nil ? try? process.openDescriptors().count : nil,
        leaks: process.lines.count { $0.text.contains(secret) })
    } + [ProcessFindings(name: "customers", leaks: customers)]
  }
}
