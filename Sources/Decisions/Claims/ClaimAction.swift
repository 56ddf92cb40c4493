package import JobModel

/// What the coordinator does about claims. The actions are carried out in the order in which they are returned.
package enum ClaimAction: Hashable, Sendable {
  /// Send the probe to each of these workers, on the connection of their deliveries. The probe may be lost: a worker
  /// that does not echo it is probed again at its next presence.
  case probe(number: Int, to: [WorkerID])
  /// Publish a fence to `teller.reports`, durable and confirmed. When it comes back, every earlier report is recorded.
  case fence(number: Int)
  /// Tell the worker: `drop` or `elsewhere`.
  case answer(ClaimRequest, Verdict)
  /// Record a new token, then answer `run` with it. A probe that follows in the same list must reach the workers behind
  /// that answer. A grant that the table of states turns into the job's end is answered `drop` instead.
  case grant(ClaimRequest)
  /// The coordinator's own claim: no worker runs the release, and none asks about it. Record a new release, then publish it.
  case releaseAnew(ReleaseID)
  /// The coordinator's own claim: a worker has the release after all.
  case keep(ReleaseID)
}

/// A claim that is not answered yet.
struct OpenClaim: Hashable, Sendable {
  enum Claimant: Hashable, Sendable {
    case worker(ClaimRequest)
    case coordinator
  }

  enum Stage: Hashable, Sendable {
    /// It waits for the next flush.
    case waiting
    /// It waits until every welcomed worker has echoed this probe.
    case probing(Int)
    /// It waits until this fence has come back.
    case fenced(Int)
  }

  let claimant: Claimant
  var stage = Stage.waiting

  /// Whether this is the claim of the same request, or of a later request of the same worker.
  func isSameOrNewer(than request: ClaimRequest) -> Bool {
    switch claimant {
    case .worker(let own): own.worker == request.worker && own.number >= request.number
    case .coordinator: false
    }
  }

  func isOf(_ worker: WorkerID) -> Bool {
    switch claimant {
    case .worker(let request): request.worker == worker
    case .coordinator: false
    }
  }
}
