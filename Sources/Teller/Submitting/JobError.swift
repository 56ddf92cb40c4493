public import JobModel

/// Why a job has no result. The failure of each case has a code for programs, and a sentence for people.
public enum JobError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator did not take the job, or the plan: nothing of it has run. Correct the submission.
  case rejected(JobID, JobFailure)
  /// The attempts are used up, or the failure was permanent.
  case failed(JobID, JobFailure)
  /// The job was cancelled before it ended.
  case cancelled(JobID, JobFailure)

  /// The job that has no result.
  public var job: JobID {
    switch self {
    case .rejected(let job, _), .failed(let job, _), .cancelled(let job, _): job
    }
  }

  /// The reason.
  public var failure: JobFailure {
    switch self {
    case .rejected(_, let failure), .failed(_, let failure), .cancelled(_, let failure): failure
    }
  }

  /// One line: what happened to which job, and why.
  public var description: String {
    switch self {
    case .rejected(let job, let failure): "job \(job) was rejected: \(failure)"
    case .failed(let job, let failure): "job \(job) failed: \(failure)"
    case .cancelled(let job, let failure): "job \(job) was cancelled: \(failure)"
    }
  }
}
