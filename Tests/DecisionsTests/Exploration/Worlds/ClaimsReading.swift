@testable import Decisions
@testable import JobModel

/// What the tests look at, and the coordinator itself never asks.
extension Claims {
  /// How many claims are not answered yet, the coordinator's own included.
  var openCount: Int { open.values.reduce(0) { $0 + $1.count } }

  /// The workers that are waited for.
  var welcomed: Set<WorkerID> { Set(workers.keys) }

  /// What the worker listed in its last presence; empty for one that is not welcomed.
  func lastKnown(of worker: WorkerID) -> Set<ReleaseID> { workers[worker]?.running ?? [] }

  /// Whether an open claim waits for this worker's presence.
  func isWaiting(for worker: WorkerID) -> Bool {
    rounds.values.contains { $0.waitingFor.contains(worker) }
  }

  /// Whoever asks, asks once more, and all is probed anew: what a coordinator that has reconnected comes to, when the
  /// workers have asked it again.
  mutating func askAgain() -> [ClaimAction] {
    var actions: [ClaimAction] = []
    for release in Array(open.keys) {
      for claim in close(release, where: { _ in true }) {
        switch claim.claimant {
        case .worker(let request): actions += self.claim(request, isCurrent: true)
        case .coordinator: actions += claimForCoordinator(release)
        }
      }
    }
    return actions + flush()
  }
}
