package import JobModel

/// What the coordinator does about claims; to be carried out in the order given.
package enum ClaimAction: Hashable, Sendable {
  /// Send the probe to each of them, on the connection of their deliveries. It may be lost: who does not echo it is
  /// probed again at its next presence.
  case probe(number: Int, to: [WorkerID])
  /// Publish a fence to `teller.reports`, durable and confirmed. When it comes back, every earlier report is recorded.
  case fence(number: Int)
  /// Tell the worker: `drop` or `elsewhere`.
  case answer(ClaimRequest, Verdict)
  /// Record a new token, then answer `run` with it. A probe that follows in the same list must reach the workers behind
  /// that answer. A grant that the table of states turns into the job's end is answered `drop` instead.
  case grant(ClaimRequest)
  /// The coordinator's own claim may run: record a new release, then publish it. The drops behind it are for workers
  /// that hold the old one.
  case releaseAnew(ReleaseID)
  /// The coordinator's own claim: a worker has the release after all.
  case keep(ReleaseID)
}

/// One question whether a release may run, not yet answered.
struct OpenClaim: Hashable, Sendable {
  enum Claimant: Hashable, Sendable {
    case worker(ClaimRequest)
    case coordinator
  }

  enum Stage: Hashable, Sendable {
    /// For the next flush.
    case waiting
    /// For every welcomed worker to echo this probe.
    case probing(Int)
    /// For this fence to come back.
    case fenced(Int)
  }

  let claimant: Claimant
  var stage = Stage.waiting

  /// Whether it is the same question, asked earlier, or one that its worker asked later.
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
