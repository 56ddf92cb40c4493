import JobModel
import Testing
import TestSupport

@testable import Teller

/// A worker that is welcomed and consumes, the stage on which its handlers play, and the peer that plays the coordinator.
final class ServingWorker {
  let running: RunningWorker
  /// Another one after each ``loseConnections()``.
  private(set) var peer: WorkerPeer
  /// In which it asked for its last welcome.
  private(set) var welcomed: Presence

  fileprivate init(_ running: RunningWorker, peer: WorkerPeer) async throws {
    self.running = running
    self.peer = peer
    welcomed = try await running.ready(with: peer)
  }

  var id: WorkerID { welcomed.worker }

  /// Has the broker close every connection; gives the peer that comes after it, of the same ledger unless another one is
  /// given. The worker waits for its next welcome.
  func loseConnections(ledger: LedgerID? = nil) async throws -> WorkerPeer {
    peer = try await peer.afterClosingConnections(ledger: ledger)
    return peer
  }

  func drain() async { await running.worker.drain() }

  /// Waits for its end, and throws what `run` threw.
  func end() async throws { try await running.end() }

  /// Has the peer welcome it on its next connection; gives the presence in which it asked.
  @discardableResult
  func welcomeAgain() async throws -> Presence {
    welcomed = try await running.ready(with: peer, after: welcomed)
    return welcomed
  }

  /// Waits until it has read what it was sent before; gives the presence that says so.
  @discardableResult
  func echo(_ probe: Int) async throws -> Presence {
    try await peer.probe(probe, id)
    return try await peer.nextPresence("the echo of \(probe)") { $0.probe == probe }
  }
}

/// Has a worker serve while the body does, which is given its peer and its stage too. Its handlers wait until the test
/// lets them, unless the stage is open. When it is gone, so many messages are to be `left` in the queue of the department
/// `deposit`; nil: that does not matter.
func withServingWorker(
  _ tellers: [Department: Int] = ["deposit": 1], timeouts: WorkerTimeouts = WorkerTimeouts(),
  stage: WorkerStage = WorkerStage(), log: WorkerLog = WorkerLog(), trapsSignals: Bool = false, left: Int? = nil,
  register: (Worker) -> Void = { _ in },
  _ body: (ServingWorker, WorkerPeer, WorkerStage) async throws -> Void
) async throws {
  var peer = try await WorkerPeer.start(departments: Array(tellers.keys))
  try await withWorker(
    at: peer.url, tellers, timeouts: timeouts, stage: stage, log: log, trapsSignals: trapsSignals, register: register
  ) { running in
    let worker = try await ServingWorker(running, peer: peer)
    defer { peer = worker.peer }
    try await body(worker, peer, stage)
  }
  if let left {
    // What it had not acked comes back a moment after it is gone.
    try await eventually("\(left) messages are left in the queue", within: patience) {
      try await peer.waiting(in: "deposit") == left
    }
  }
  await peer.close()
}
