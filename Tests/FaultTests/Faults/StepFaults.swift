import AuditSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// Coordinators that die in the middle of what takes several steps: between a grant and its answer, between an adoption and
/// its answer, between two steps of a command about many jobs, between a command and its ack, between a notification and
/// the note that it was sent.
extension Fault {
  static let notifierDies = coordinatorDies(at: "notifier.after-confirm-before-record")

  /// What a killed worker had is claimed by the others, when its lease has passed. It is killed while it runs something,
  /// unless something is claimed before: of what an earlier fault has cut off, for example.
  static func coordinatorDiesGranting(at point: String) -> Fault {
    Fault(name: "coordinator: kill -9 at \(point)") { stage in
      let doomed = try await stage.replaceCoordinator(dyingAt: point)
      let worker = try await stage.aWorker()
      for _ in 1...8 {
        _ = stage.submit(kind: "effect", payload: #"{"timed": true, "ms": \#(Load.long * 2)}"#, Wanted())
      }
      try await eventually("it runs one of them", within: TellerSystem.limit) {
        doomed.exitStatus != nil
          || Run.runs(of: stage.system.effectLines).contains { $0.pid == worker.pid && $0.ended == nil }
      }
      try await stage.kill(worker)
      try await doomed.expectEnd(with: 128 + SIGKILL)
    } heal: { stage in
      try await stage.startCoordinator()
      try await stage.startWorker()
    }
  }

  /// Jobs run for longer than their workers keep messages.
  static func coordinatorDiesAdopting(at point: String) -> Fault {
    Fault(name: "coordinator: kill -9 at \(point)") { stage in
      let doomed = try await stage.replaceCoordinator(dyingAt: point)
      for _ in 1...4 {
        _ = stage.submit(kind: "effect", payload: #"{"timed": true, "ms": \#(Load.long * 2)}"#, Wanted())
      }
      try await doomed.expectEnd(with: 128 + SIGKILL)
    } heal: { stage in
      try await stage.startCoordinator()
    }
  }

  /// More jobs than one step looks at.
  private static let many = 600

  /// All jobs of a kind are cancelled, by two coordinators: the first one dies after its first step.
  static let coordinatorDiesBetweenSteps = Fault(name: "coordinator: kill -9 at operations.between-steps") { stage in
    let jobs = (1...many).map { _ in
      stage.submit(
        kind: "sleep", payload: "{}", delay: .seconds(3_600), Wanted(leavesTraces: false, outcomes: [.cancelled]))
    }
    let accepted = { try await stage.readLedger().accepted().isSuperset(of: jobs) }
    try await eventually("all are accepted", within: TellerSystem.limit, accepted)
    let doomed = try await stage.replaceCoordinator(dyingAt: "operations.between-steps")
    try await doomed.waitForLine(containing: "serving", within: TellerSystem.limit)
    // Its answer may be lost: what counts is what becomes of the jobs.
    async let asked = stage.customers.any().cancel(.kind("sleep"))
    try await doomed.expectEnd(with: 128 + SIGKILL)
    let left = try await stage.readLedger().states(of: jobs).values.count { $0 < LedgerState.succeeded }
    await stage.note("\(left) of \(many) were left")
    try await stage.startCoordinator()
    _ = try? await asked
  }

  /// A failed job is replayed, and the command comes again.
  static let coordinatorDiesCommanded = Fault(name: "coordinator: kill -9 at admin.after-record-before-ack") { stage in
    let job = stage.submit(
      kind: "effect", payload: #"{"timed": true, "permanent": true}"#, Wanted(outcomes: [.failed]))
    try await eventually("it has failed", within: TellerSystem.limit) {
      try await stage.readLedger().states(of: [job])[job] == LedgerState.failed
    }
    let doomed = try await stage.replaceCoordinator(dyingAt: "admin.after-record-before-ack")
    async let asked = stage.customers.any().replay([job])
    try await doomed.expectEnd(with: 128 + SIGKILL)
    try await stage.startCoordinator()
    _ = try? await asked
    try await eventually("it is replayed", within: TellerSystem.limit) {
      _ = try await stage.customers.any().replay([job])
      return true
    }
  }
}

extension Stage {
  /// Ends the coordinator, and has one take its place that dies at a point of the flow.
  func replaceCoordinator(dyingAt point: String) async throws -> RunningProcess {
    try await endCoordinator(by: SIGKILL)
    return try await launchCoordinator(environment: ["TELLER_FAULT_POINT": point])
  }
}
