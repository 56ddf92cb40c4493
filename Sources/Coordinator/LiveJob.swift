import JobModel
import Ledger

/// A job that is released and unfinished, as the coordinator's memory holds it; without its payload.
struct LiveJob: Sendable {
  let number: Int64
  let id: JobID
  let kind: JobKind
  let department: Department
  let priority: Priority
  let slot: Window.Slot
  let plan: JobID?
  var progress: JobProgress
  var reply: ReplyAddress?
  var releasedAt: Timestamp
  /// The broker has confirmed the current release.
  var isConfirmed = false

  var release: ReleaseID { ReleaseID(job: id, number: progress.release) }

  func assignment(of ledger: LedgerID, _ content: JobContent, mustClaim: Bool) -> Assignment {
    Assignment(
      release: release, token: progress.token, ledger: ledger, kind: kind, department: department, priority: priority,
      attempt: progress.attempt, maxAttempts: progress.maxAttempts, mustClaim: mustClaim, payload: content.payload,
      contentType: content.contentType, trace: content.trace)
  }
}
