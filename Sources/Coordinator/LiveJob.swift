import Decisions
import JobModel
import Ledger

/// A job that is released and unfinished, as the coordinator's memory holds it; without its payload.
struct LiveJob: Sendable {
  let number: Int64
  let id: JobID
  let kind: JobKind
  let department: Department
  var priority: Priority
  var slot: Window.Slot
  let plan: JobID?
  var order: OrderKey?
  var standing: Standing
  let timeout: Duration?
  let startBy: Timestamp?
  var progress: JobProgress
  var reply: ReplyAddress?
  /// For people, and for its ageing.
  var releasedAt: Timestamp
  /// When its message was published last, or is about to be, on the session's clock; of what was released before this
  /// process began, when the session did.
  var since = SessionClock.now
  /// What its message is published with: its own priority, or more after a long wait.
  var releasePriority: Priority
  /// Whether ``releasePriority`` is what the message was published with; a restarted coordinator does not know that.
  var isLevelKnown = true
  /// It lies in the queue of its kind, not in its department's.
  var isBeside = false
  /// A worker without a handler for it has given it back.
  var isReturned = false
  /// The broker has confirmed the current release.
  var isConfirmed = false
  /// Who runs it, and since when it is known to; nil: nobody is known to.
  var run: Run?
  /// Its message is acked though it still runs: only the lease of this worker governs it.
  var adoptedBy: WorkerID?

  /// A run as the coordinator has heard of it.
  struct Run: Hashable, Sendable {
    var worker: WorkerID
    var since: Timestamp
    /// The last number that the claims had used by then.
    var number: Int
  }

  var release: ReleaseID { ReleaseID(job: id, number: progress.release) }
  /// Where its message is.
  var queue: JobQueue { JobQueue(department, kind: isBeside ? kind : nil) }

  /// What publishes its release. With `mustClaim`, and always when it was running at a death, whoever gets it asks first,
  /// so that its start is recorded before it runs.
  func assignment(of ledger: LedgerID, epoch: Int, _ content: JobContent, mustClaim: Bool = false) -> Assignment {
    Assignment(
      release: release, token: progress.token, ledger: ledger, epoch: epoch, kind: kind, department: department,
      isBeside: isBeside, priority: releasePriority, attempt: progress.attempt, maxAttempts: progress.maxAttempts,
      mustClaim: mustClaim || progress.deaths > 0, timeout: timeout, payload: content.payload,
      contentType: content.contentType, trace: content.trace)
  }
}

extension LiveJob {
  /// A job that was just accepted and found a place.
  init(_ job: NewJob, _ number: Int64, _ slot: Window.Slot) {
    self.init(
      number: number, id: job.id, kind: job.kind, department: job.department, priority: job.priority, slot: slot,
      plan: job.plan, order: job.order?.key(number: number), standing: job.standing, timeout: job.timeout,
      startBy: job.startBy, progress: job.progress, reply: job.reply, releasedAt: job.acceptedAt,
      releasePriority: job.priority)
  }

  /// A job of the ledger: one that was held and has found a place, or one that was released before.
  init(_ job: Job, standing: Standing, _ slot: Window.Slot, releasedAt: Timestamp, releasePriority: Priority) {
    self.init(
      number: job.number, id: job.id, kind: job.kind, department: job.department, priority: job.priority, slot: slot,
      plan: job.plan, order: job.order, standing: standing, timeout: job.timeout, startBy: job.startBy,
      progress: job.progress, reply: job.reply, releasedAt: releasedAt, releasePriority: releasePriority)
  }
}
