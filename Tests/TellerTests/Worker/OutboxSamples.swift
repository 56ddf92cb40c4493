import JobModel

@testable import Teller

/// What the tests of the outbox put into it.
protocol OutboxSamples {}

extension OutboxSamples {
  func attempt(_ size: Int = 0) -> FinishedAttempt {
    FinishedAttempt(
      release: ReleaseID(job: JobID(), number: 1), token: 1, ledger: LedgerID("l"), startedAt: .now, ran: .zero,
      result: .succeeded(result: Array(repeating: 0, count: size), contentType: nil))
  }

  func claim(_ number: Int) -> ClaimRequest {
    ClaimRequest(
      release: ReleaseID(job: JobID(), number: 1), ledger: LedgerID("l"), worker: WorkerID("w"), number: number)
  }

  func drop() -> UnstartedRelease {
    UnstartedRelease(release: ReleaseID(job: JobID(), number: 1), ledger: LedgerID("l"), worker: WorkerID("w"))
  }
}
