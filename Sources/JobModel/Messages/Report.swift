/// The end of one attempt, as its worker tells it. Durable and confirmed: the assignment is acked only after it.
package struct Report: Hashable, Sendable {
  package var release: ReleaseID
  /// Fences: it counts only while it is the job's current token.
  package var token: Int
  package var ledger: LedgerID
  package var worker: WorkerID
  /// How long before this report was sent the attempt began; by the worker's monotonic clock.
  package var startedAgo: Duration
  /// How long the handler ran; by the worker's monotonic clock.
  package var ran: Duration
  package var result: AttemptResult
  /// The policy of the handler; it counts where neither the submission nor the coordinator's file has one.
  package var hint: RetryHint?
  /// The worker has sent what cannot be used: the result is a failure that says why, made by its reader.
  package var isFlawed = false

  package init(
    release: ReleaseID, token: Int, ledger: LedgerID, worker: WorkerID, startedAgo: Duration, ran: Duration,
    result: AttemptResult, hint: RetryHint? = nil
  ) {
    self.release = release
    self.token = token
    self.ledger = ledger
    self.worker = worker
    self.startedAgo = startedAgo
    self.ran = ran
    self.result = result
    self.hint = hint
  }

  package var job: JobID { release.job }

  /// The end of an attempt whose report cannot be used. The attempt failed, and counts.
  package static func flawed(
    _ release: ReleaseID, token: Int, ledger: LedgerID, worker: WorkerID, startedAgo: Duration = .zero,
    ran: Duration = .zero, because reason: String
  ) -> Report {
    let failure = JobFailure(code: JobFailure.Code.badReport, message: "its worker's report cannot be used: \(reason)")
    var report = Report(
      release: release, token: token, ledger: ledger, worker: worker, startedAgo: startedAgo, ran: ran,
      result: .failed(failure, isPermanent: false))
    report.isFlawed = true
    return report
  }

  /// The most bytes of the content type of a result: it is a property of replies, which AMQP writes as a short string.
  package static let contentTypeLimit = 255
  /// The longest times that count: a worker may say any.
  package static let longestTime: Duration = .seconds(366 * 86_400)
  /// The largest result that a report carries, in bytes.
  package static let resultLimit = 256 * 1024
}

/// What a handler says of how its jobs, or this one, are tried.
package struct RetryHint: Hashable, Sendable {
  /// How many attempts a job has.
  package var attempts: Int?
  /// How long the job waits before its next attempt.
  package var wait: Duration?
  /// How long the job waits at least, also where the coordinator's file says how to wait; nil: the handler does not say.
  package var atLeast: Duration?
  /// Whether the job's department is to be paused.
  package var pausesDepartment: Bool

  package init(
    attempts: Int? = nil, wait: Duration? = nil, atLeast: Duration? = nil, pausesDepartment: Bool = false
  ) {
    self.attempts = attempts
    self.wait = wait
    self.atLeast = atLeast
    self.pausesDepartment = pausesDepartment
  }

  /// The longest ``wait``, and the longest ``atLeast``.
  package static let longestWait: Duration = .seconds(30 * 86_400)
}

/// A worker asks whether it may run a delivery that may have been run before.
package struct ClaimRequest: Hashable, Sendable {
  package var release: ReleaseID
  package var ledger: LedgerID
  package var worker: WorkerID
  /// The worker's own number for this claim. The answer repeats it: so an answer to an earlier connection is known.
  package var number: Int
  /// How many attempts a job has by its handler there; nil: the handler does not say.
  package var attempts: Int?

  package init(release: ReleaseID, ledger: LedgerID, worker: WorkerID, number: Int, attempts: Int? = nil) {
    self.release = release
    self.ledger = ledger
    self.worker = worker
    self.number = number
    self.attempts = attempts
  }

  /// The most claims of one message.
  package static let batchLimit = 256
}

/// A release that was delivered to a worker and was not started there: it is void, or the worker has no handler for it.
/// Its delivery is acked after this is confirmed.
package struct UnstartedRelease: Hashable, Sendable {
  package var release: ReleaseID
  package var ledger: LedgerID
  package var worker: WorkerID

  package init(release: ReleaseID, ledger: LedgerID, worker: WorkerID) {
    self.release = release
    self.ledger = ledger
    self.worker = worker
  }
}

/// A worker wants to ack the message of a job that still runs, before the broker takes it for stuck. Once that is
/// recorded, the job is governed by its worker's lease alone.
package struct AdoptionRequest: Hashable, Sendable {
  package var release: ReleaseID
  package var token: Int
  package var ledger: LedgerID
  package var worker: WorkerID

  package init(release: ReleaseID, token: Int, ledger: LedgerID, worker: WorkerID) {
    self.release = release
    self.token = token
    self.ledger = ledger
    self.worker = worker
  }
}

/// Everything that travels in `teller.reports`, in this order of arrival and no other.
package enum ReportMessage: Hashable, Sendable {
  case report(Report)
  /// The claims that a worker had to make at one time, in one message.
  case claims([ClaimRequest])
  /// A release that was void came fresh from its queue: it was not started, and its message is gone.
  case dropped(UnstartedRelease)
  /// A worker has no handler for a release, and has given it back: the coordinator finds it another worker.
  case returned(UnstartedRelease)
  /// A job runs for so long that its worker wants to be done with the message.
  case adopt(AdoptionRequest)
  /// The coordinator's message to itself: when it comes back, every earlier report has been recorded.
  case fence(number: Int, ledger: LedgerID)
  /// Its sender may not send it. A refused report is kept for people.
  case refused(JobFailure, isReport: Bool)
  /// Anything but a report that cannot be used. Nothing changes, and its worker is answered.
  case flawed(FlawedMessage)
  /// Reports of which it cannot be said whose they are, and what is none of the others; the reason is for people.
  case unreadable(String)
}

/// A message of a worker that cannot be used.
package struct FlawedMessage: Hashable, Sendable {
  /// The message's property `type`.
  package var type: String
  /// What is wrong with it, for people.
  package var reason: String
  /// Nil: it does not say whose it is.
  package var worker: WorkerID?

  package init(type: String, reason: String, worker: WorkerID?) {
    (self.type, self.reason, self.worker) = (type, reason, worker)
  }
}
