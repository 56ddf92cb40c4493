import AuditSupport
import Foundation
import JobModel
import SystemSupport
import Teller
import TestSupport

/// What can befall a broker, and its queues.
extension Fault {
  static let brokerKilled = Fault(name: "broker: kill -9") { stage in
    // Else it may not find the stream again: see `writeDown`.
    try await stage.broker.writeDown()
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
    name: "broker: its disk is gone", isInFirstVirtualHost: true
  ) { stage in
    try await stage.wipeBroker()
  }

  static let memoryAlarm = Fault(name: "broker: memory alarm for longer than the lease") { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.0001")
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.4")
  }

  /// What the coordinator has published last is read by nobody before it is dead.
  static let killedInAlarm = Fault(name: "broker: memory alarm; in it the coordinator: kill -9") { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.0001")
    try await Task.sleep(for: Fault.moment)
    try await stage.endCoordinator(by: SIGKILL)
    try await Task.sleep(for: Fault.moment)
  } heal: { stage in
    try await stage.broker.ctl("set_vm_memory_high_watermark", "0.4")
    try await stage.startCoordinator()
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

  static let queuePurged = Fault(name: "queue of a department: purged", allowances: [.lostMessages]) { stage in
    try await stage.withBacklog("teller.department.work") {
      try await stage.broker.ctl("purge_queue", "--vhost", stage.virtualHost, "teller.department.work")
    }
  }

  static let queueDeleted = Fault(name: "queue of a department: deleted", allowances: [.lostMessages]) { stage in
    try await stage.withBacklog("teller.department.work") {
      try await stage.broker.ctl("delete_queue", "--vhost", stage.virtualHost, "teller.department.work")
    }
  }

  /// How many messages the submission queue takes in a flood.
  private static let room = 50

  /// More than the submission queue takes, while nobody empties it: jobs of 200,000 bytes each.
  static let flood = Fault(name: "a flood beyond the submission queue") { stage in
    try await stage.broker.ctl(
      "set_policy", "--vhost", stage.virtualHost, "--apply-to", "queues", "small", "^teller\\.submissions$",
      #"{"max-length":\#(room)}"#)
    try await stage.endCoordinator(by: SIGKILL)
    let ballast = String(repeating: "x", count: 200_000)
    let payload = #"{"timed": true, "ms": 0, "ballast": "\#(ballast)"}"#
    for _ in 1...room * 3 { _ = stage.submit(kind: "effect", payload: payload, Wanted()) }
    try await eventually("the submission queue is full", within: TellerSystem.limit) {
      try await stage.messages(in: "teller.submissions.2") >= room
    }
    try await Task.sleep(for: Fault.moment)
    await stage.note("\(try await stage.messages(in: "teller.submissions.2")) of \(room * 3) taken")
  } heal: { stage in
    try await stage.startCoordinator()
    try await stage.broker.ctl("clear_policy", "--vhost", stage.virtualHost, "small")
  }

  /// Nothing ends in good order: everybody is told to end while the broker says nothing, and told again.
  static let terminatedInSilence = Fault(name: "everybody: SIGTERM, twice, while the broker is frozen") { stage in
    try await stage.broker.freeze()
    for worker in await stage.workers {
      await stage.isCutOff(worker)
      try await worker.terminateTwice()
      await stage.forget(worker)
    }
    try await stage.serving().terminateTwice()
  } heal: { stage in
    try await stage.broker.thaw()
    try await stage.startCoordinator()
    for _ in 1...2 { try await stage.startWorker() }
  }

  static let everybodyKilled = Fault(name: "everybody: kill -9, the broker too") { stage in
    try await stage.broker.writeDown()
    for worker in await stage.workers { try await stage.kill(worker) }
    try await stage.endCoordinator(by: SIGKILL)
    try await stage.broker.kill()
  } heal: { stage in
    try await stage.broker.start()
    try await stage.startCoordinator()
    for _ in 1...2 { try await stage.startWorker() }
  }
}

extension Fault {
  /// As when a machine sleeps: nobody can be blamed for having been silent, and no lease has passed.
  static let everybodyFrozen = Fault(name: "everybody: SIGSTOP for longer than the lease, the broker too") { stage in
    for _ in 1...8 {
      _ = stage.submit(kind: "effect", payload: #"{"timed": true, "ms": \#(Load.long * 2)}"#, Wanted())
    }
    try await Task.sleep(for: Fault.moment)
    for worker in await stage.workers { try await worker.freeze() }
    try await stage.serving().freeze()
    try await stage.broker.freeze()
    try await Task.sleep(for: Fault.silence)
  } heal: { stage in
    try await stage.broker.thaw()
    try await stage.serving().thaw()
    for worker in await stage.workers { worker.thaw() }
  }
}

extension Stage {
  /// The name of the system's virtual host.
  nonisolated var virtualHost: String {
    system.brokerURL.split(separator: "/").dropFirst(2).first.map(String.init) ?? "/"
  }

  /// How many messages wait in a queue, those in somebody's hands not counted.
  nonisolated func messages(in queue: String) async throws -> Int {
    try await broker.queues(of: system.brokerURL)[queue]?.ready ?? 0
  }

  /// Frozen for longer, a worker may be taken for dead: it may have been silent before, for as long as one presence is
  /// late, and the rest of the lease is for those that are on their way.
  private static let harmlessFreeze: Duration = .seconds(14)

  /// Does something while nobody takes from a queue, so that there is something in it. The workers are kept from it, as
  /// a rule for less than a lease; on a busy machine the broker's tools may take longer.
  func withBacklog(_ queue: String, _ body: () async throws -> Void) async throws {
    let start = Moment.now
    for worker in workers { try await worker.freeze() }
    defer {
      for worker in workers { worker.thaw() }
      if Moment.now - start > Stage.harmlessFreeze { wereCutOff(workers, since: start) }
    }
    try await eventually("something waits in \(queue)", within: TellerSystem.limit) {
      try await messages(in: queue) > 0
    }
    note("\(try await messages(in: queue)) messages or more")
    try await body()
  }
}
