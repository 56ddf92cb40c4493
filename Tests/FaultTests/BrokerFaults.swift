import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// What can befall a broker, and its queues.
extension Fault {
  static let brokerKilled = Fault(name: "broker: kill -9") { stage in
    // Else it may not find the stream again: see `settle`.
    try await stage.broker.settle()
    try await stage.broker.kill()
  } heal: { stage in
    try await stage.broker.start()
  }

  static let brokerFrozen = Fault(name: "broker: SIGSTOP for longer than the lease") { stage in
    try await stage.broker.freeze()
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try await stage.broker.thaw()
  }

  static let brokerStopped = Fault(name: "broker: stop_app, start_app") { stage in
    try await stage.broker.ctl("stop_app")
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.broker.ctl("start_app")
  }

  static let brokerWiped = Fault(
    name: "broker: its disk is gone", isInFirstVirtualHost: true, allowances: [.brokerDisk]
  ) { stage in
    try await stage.broker.wipe()
  } heal: { stage in
    try await stage.broker.start()
  }

  static let memoryAlarm = Fault(name: "broker: memory alarm for longer than the lease") { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.0001")
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.4")
  }

  static let diskAlarm = Fault(name: "broker: disk alarm") { stage in
    try await stage.broker.ctl("set_disk_free_limit", "100000GB")
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.broker.ctl("set_disk_free_limit", "64MB")
  }

  static let connectionsClosed = Fault(name: "broker: close_all_connections, in a loop") { stage in
    for _ in 1...4 {
      try await stage.broker.ctl("close_all_connections", "--vhost", stage.virtualHost, "a test")
    }
  }

  static let queuePurged = Fault(name: "queue of a department: purged") { stage in
    try await stage.withBacklog {
      try await stage.broker.ctl("purge_queue", "--vhost", stage.virtualHost, "teller.department.work")
    }
  }

  static let queueDeleted = Fault(name: "queue of a department: deleted") { stage in
    try await stage.withBacklog {
      try await stage.broker.ctl("delete_queue", "--vhost", stage.virtualHost, "teller.department.work")
    }
  }

  /// More than the submission queue takes, while nobody empties it: jobs of 200,000 bytes each.
  static let flood = Fault(name: "a flood beyond the submission queue") { stage in
    try await stage.broker.ctl(
      "set_policy", "--vhost", stage.virtualHost, "--apply-to", "queues", "small", "^teller\\.submissions$",
      #"{"max-length":50}"#)
    try await stage.serving().freeze()
    let ballast = String(repeating: "x", count: 200_000)
    for _ in 1...150 { _ = stage.submit(kind: "effect", payload: #"{"ms": 0, "ballast": "\#(ballast)"}"#) }
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.serving().thaw()
  }
}

extension Stage {
  /// The name of the system's virtual host.
  nonisolated var virtualHost: String {
    system.brokerURL.split(separator: "/").dropFirst(2).first.map(String.init) ?? "/"
  }

  /// Does something while nobody takes from the queue of `work`, so that there is something in it. The workers are kept
  /// from it for less than a lease.
  func withBacklog(_ body: () async throws -> Void) async throws {
    for worker in workers { try await worker.freeze() }
    try await Task.sleep(for: Fault.moment)
    try await body()
    for worker in workers { worker.thaw() }
  }
}
