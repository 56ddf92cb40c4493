import Hosting
import JobModel

/// A worker's runs, as its services and its metrics are told of them.
extension HostedJob {
  init(_ job: JobInfo) {
    self.init(id: job.id, kind: job.kind, department: job.department, attempt: job.attempt)
  }
}

extension HostedJobEnd {
  init(_ job: HostedJob, _ result: AttemptResult, _ reason: RunControl.Reason?, ran: Duration) {
    self.init(job, Result(result, reason), failure: result.failure, ran: ran)
  }
}

extension HostedJobEnd.Result {
  /// A run that was cancelled because of its time limit is a timeout, unless it succeeded all the same. One whose job has
  /// ended is cancelled.
  init(_ result: AttemptResult, _ reason: RunControl.Reason?) {
    switch (result, reason) {
    case (.succeeded, _): self = .succeeded
    case (.snoozed, _): self = .snoozed
    case (.discarded, _): self = .discarded
    case (.failed, .timeout): self = .timeout
    case (.failed, .jobEnded), (.failed, .closed): self = .cancelled
    case (.failed, _): self = .failed
    }
  }
}

extension AttemptResult {
  fileprivate var failure: JobFailure? {
    switch self {
    case .failed(let failure, _), .discarded(let failure): failure
    case .succeeded, .snoozed: nil
    }
  }
}
