import Foundation
import GRDB
import SystemSupport
import TestSupport

/// What can befall the coordinator and its ledger.
extension Fault {
  static let coordinatorKilled = Fault(name: "coordinator: kill -9", ahead: 2) { stage in
    try await stage.endCoordinator(by: SIGKILL)
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.startCoordinator()
  }

  static func coordinatorDies(at point: String) -> Fault {
    Fault(name: "coordinator: kill -9 at \(point)") { stage in
      let doomed = try await stage.replaceCoordinator(dyingAt: point)
      try await doomed.expectEnd(with: 128 + SIGKILL)
    } heal: { stage in
      try await stage.startCoordinator()
    }
  }

  static let coordinatorFrozen = Fault(name: "coordinator: SIGSTOP for longer than the lease") { stage in
    try await stage.serving().freeze()
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try await stage.serving().thaw()
  }

  static let coordinatorTerminated = Fault(name: "coordinator: SIGTERM, twice") { stage in
    try await stage.serving().terminateTwice()
  } heal: { stage in
    try await stage.startCoordinator()
  }

  static let ledgerFull = Fault(name: "ledger: disk full", setting: .smallDisk) { stage in
    let coordinator = try await stage.serving()
    let line = coordinator.nextLineNumber
    try await stage.smallDisk().fill(of: coordinator)
    try await coordinator.waitForLine(containing: "nothing can be recorded", since: line, within: TellerSystem.limit)
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.smallDisk().makeRoom(for: try await stage.serving())
  }

  /// By another SQLite program: this one.
  static let ledgerLocked = Fault(name: "ledger: locked by another program") { stage in
    let coordinator = try await stage.serving()
    let line = coordinator.nextLineNumber
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(TellerSystem.limit / .seconds(1))
    let other = try DatabaseQueue(path: stage.system.ledger.path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try await coordinator.waitForLine(containing: "nothing can be recorded", since: line, within: TellerSystem.limit)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try other.close()
  }
}

extension Stage {
  func endCoordinator(by signal: Int32) async throws {
    let coordinator = try serving()
    coordinator.signal(signal)
    try await coordinator.waitForExit(within: TellerSystem.limit)
  }
}
