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

/// Runs a worker while the body runs, with a peer of its own. The peer has not welcomed the worker yet. Handlers wait until
/// the test lets them end, unless the stage is open. Once the worker is gone, so many messages must be `left` in the queue
/// of the department `deposit`; nil: any number.
func withWorker(
  _ tellers: [Department: Int] = ["deposit": 1], timeouts: WorkerTimeouts = WorkerTimeouts(),
  stage: WorkerStage = WorkerStage(), log: WorkerLog = WorkerLog(), trapsSignals: Bool = false, left: Int? = nil,
  register: (Worker) -> Void = { _ in },
  _ body: (RunningWorker, WorkerPeer, WorkerStage) async throws -> Void
) async throws {
  let peer = try await WorkerPeer.start(departments: Array(tellers.keys))
  try await withWorker(
    at: peer.url, tellers, timeouts: timeouts, stage: stage, log: log, trapsSignals: trapsSignals, register: register
  ) { try await body($0, peer, stage) }
  try await peer.close(left: left)
}

/// The same with a worker that is welcomed, and consumes.
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
  try await peer.close(left: left)
}

extension WorkerPeer {
  /// Closes the peer of a worker that is gone, once so many messages are left in its queue.
  fileprivate func close(left: Int?) async throws {
    if let left {
      // A message that was not acked comes back a moment after the worker is gone.
      try await eventually("\(left) messages are left in the queue", within: patience) {
        try await waiting(in: "deposit") == left
      }
    }
    await close()
  }
}
