import AuditSupport
import Foundation
import JobModel
import SystemSupport
import TestSupport

/// What can befall the line between the processes and their broker.
extension Fault {
  static let lineReset = Fault(name: "line: resets", setting: .badLine) { stage in
    let line = try stage.badLine()
    for _ in 1...5 {
      line.reset()
      try await Task.sleep(for: .seconds(1))
    }
  }

  static let lineBlackHole = Fault(name: "line: black hole for longer than the lease", setting: .badLine) { stage in
    try stage.badLine().weather = .blackHole
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try stage.badLine().weather = .clear
  }

  static let workerUnreachable = Fault(
    name: "line of one worker: black hole for longer than the lease", setting: .badLineOfOneWorker
  ) { stage in
    if let worker = await stage.workers.first { await stage.isCutOff(worker) }
    try stage.badLine().weather = .blackHole
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try stage.badLine().weather = .clear
    if let worker = await stage.workers.first { await stage.isBack(worker) }
  }

  static let lineSplits = Fault(name: "line: single bytes", setting: .badLine) { stage in
    try stage.badLine().weather = .singleBytes
    try await Task.sleep(for: Fault.moment * 2)
  } heal: { stage in
    try stage.badLine().weather = .clear
  }

  static let lineDelays = Fault(name: "line: delays", setting: .badLine) { stage in
    try stage.badLine().weather = .delay(.milliseconds(200))
    try await Task.sleep(for: Fault.moment * 2)
  } heal: { stage in
    try stage.badLine().weather = .clear
  }

  /// Bytes of one worker's line are damaged, here and there; nobody crashes or hangs, and what goes another way is
  /// unharmed. What a damaged ack left un-acked comes back with the next connection.
  static let lineFlips = Fault(
    name: "line of one worker: flipped bytes", setting: .badLineOfAnother, allowances: [.damagedLine]
  ) { stage in
    let line = try stage.badLine()
    for distance in [3, 40, 7, 150, 400, 0, 90, 1_000] {
      for direction in TCPProxy.Direction.allCases { line.flip(after: distance, direction) }
      _ = stage.submit(
        kind: "noop", payload: "{}", Wanted(leavesTraces: false, outcomes: [.succeeded, .failed]))
      try await Task.sleep(for: .milliseconds(700))
    }
    await stage.note("\(line.damaged) bytes")
  } heal: { stage in
    try stage.badLine().repair()
  }
}
