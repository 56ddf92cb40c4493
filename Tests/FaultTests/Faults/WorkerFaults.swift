import AuditSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// What can befall a worker.
extension Fault {
  static let workerKilled = Fault(name: "worker: kill -9", ahead: 2) { stage in
    try await stage.kill(try await stage.aWorker())
  } heal: { stage in
    try await stage.startWorker()
  }

  /// At each of the points one worker dies, all at the same time.
  static func workersDie(at points: [String]) -> Fault {
    Fault(name: "worker: kill -9 at \(points.joined(separator: ", "))") { stage in
      var doomed: [RunningProcess] = []
      for point in points {
        doomed.append(try await stage.launchWorker(environment: ["TELLER_FAULT_POINT": point]))
      }
      for worker in doomed {
        try await worker.expectEnd(with: 128 + SIGKILL)
        await stage.hasDied(worker)
        await stage.forget(worker)
      }
    }
  }

  static let workerFrozen = Fault(name: "worker: SIGSTOP for longer than the lease", ahead: 2) { stage in
    let worker = try await stage.aWorker()
    await stage.isCutOff(worker)
    try await worker.freeze()
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    for worker in await stage.workers {
      worker.thaw()
      await stage.isBack(worker)
    }
  }

  static let workerTerminated = Fault(name: "worker: SIGTERM, twice", ahead: 2) { stage in
    let worker = try await stage.aWorker()
    await stage.isCutOff(worker)
    try await worker.terminateTwice()
    await stage.forget(worker)
  } heal: { stage in
    try await stage.startWorker()
  }

  /// A job that kills its worker each time: it ends as failed, and the others go on.
  static let poison = Fault(name: "a poison job") { stage in
    let poison = stage.submit(
      kind: "crash", payload: "{}", attempts: 2, Wanted(leavesTraces: false, outcomes: [.failed]))
    try await eventually("the poison has its outcome", within: TellerSystem.longLimit) {
      try await stage.replaceTheDead()
      return try await stage.readLedger().states(of: [poison])[poison] == LedgerState.failed
    }
  } heal: { stage in
    try await stage.replaceTheDead()
  }

  /// A handler that does not come back and does not listen: who operates the worker ends it, and the job runs elsewhere.
  static let hanging = Fault(name: "a hanging handler") { stage in
    // An earlier one has opened it.
    stage.system.closeGate()
    let job = stage.submit(kind: "hang", payload: #"{"times": 1, "timed": true}"#, Wanted())
    // Only then it is known to have begun.
    try await eventually("it is seen running", within: TellerSystem.limit) {
      try await stage.customers.any().job(job).state == .running
    }
    let pid = stage.system.effects.first { $0.job == job.description }?.pid
    guard let worker = await stage.workers.first(where: { $0.pid == pid }) else { return }
    await stage.isCutOff(worker)
    try await worker.terminateTwice()
    await stage.forget(worker)
    // The same attempt may begin again.
    try stage.system.openGate()
    try await eventually("it runs elsewhere", within: TellerSystem.longLimit) {
      stage.system.effects.contains { $0.job == job.description && $0.pid != pid }
    }
  } heal: { stage in
    try await stage.startWorker()
  }
}

extension Stage {
  /// Has a new worker take the place of each that has died.
  func replaceTheDead() throws {
    for worker in workers where worker.exitStatus != nil {
      hasDied(worker)
      forget(worker)
      try launchWorker()
    }
  }

  /// One of the workers.
  func aWorker() throws -> RunningProcess {
    guard let worker = workers.randomElement() else { throw StageError(what: "there is no worker") }
    return worker
  }
}

extension RunningProcess {
  /// Asks it to end, and again once it drains, and waits until it has ended. Two signals before it has seen the first one
  /// would be one.
  func terminateTwice() async throws {
    let line = nextLineNumber
    signal(SIGTERM)
    _ = try? await waitForLine(containing: "drain", since: line, within: TellerSystem.limit)
    signal(SIGTERM)
    try await waitForExit(within: TellerSystem.limit)
  }

  /// Waits until it has died as it shall.
  func expectEnd(with status: Int32) async throws {
    let ended = try await waitForExit(within: TellerSystem.longLimit)
    guard ended == status else {
      throw StageError(what: "process \(pid) ended with status \(ended): \(text(of: .standardError).suffix(5))")
    }
  }
}
