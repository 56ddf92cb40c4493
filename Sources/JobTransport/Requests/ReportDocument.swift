package import JobModel

/// The jobs to sum up: those that ended since a moment, or those of a plan.
package struct ReportQuery: Hashable, Sendable, QuestionBody {
  package var since: Timestamp?
  package var plan: JobID?
  package var department: Department?

  package init(since: Timestamp? = nil, plan: JobID? = nil, department: Department? = nil) {
    self.since = since
    self.plan = plan
    self.department = department
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case since = "since_ms"
    case plan, department
  }

  package var problem: String? {
    (since == nil) == (plan == nil) ? "give since_ms or plan" : nil
  }
}

/// A summary of jobs that have ended, by department.
package struct ReportDocument: AnswerDocument {
  /// Times of jobs in milliseconds: percentiles, and the longest.
  package struct Times: Hashable, Sendable, Codable {
    package var p50: Int64
    package var p90: Int64
    package var p99: Int64
    package var max: Int64

    package init(p50: Int64, p90: Int64, p99: Int64, max: Int64) {
      self.p50 = p50
      self.p90 = p90
      self.p99 = p99
      self.max = max
    }
  }

  package struct Line: Hashable, Sendable, Codable {
    package var department: Department
    package var succeeded: Int
    package var failed: Int
    package var cancelled: Int
    /// Attempts beyond the first of each job.
    package var retries: Int
    /// From the acceptance to the start of the last attempt; nil when no attempt began.
    package var waited: Times?
    /// How long the last attempt ran; nil when no attempt began.
    package var ran: Times?

    package init(
      department: Department, succeeded: Int, failed: Int, cancelled: Int, retries: Int, waited: Times?, ran: Times?
    ) {
      self.department = department
      self.succeeded = succeeded
      self.failed = failed
      self.cancelled = cancelled
      self.retries = retries
      self.waited = waited
      self.ran = ran
    }

    enum CodingKeys: String, CodingKey {
      case department, succeeded, failed, cancelled, retries
      case waited = "waited_ms"
      case ran = "ran_ms"
    }
  }

  /// When the first of the jobs was accepted; nil when no job has ended.
  package var from: Timestamp?
  /// When the last of the jobs ended; nil when no job has ended.
  package var until: Timestamp?
  package var lines: [Line]
  /// Whether there are more than `jobLimit` jobs, so that only the latest were counted.
  package var isTruncated: Bool

  package init(from: Timestamp?, until: Timestamp?, lines: [Line], isTruncated: Bool) {
    self.from = from
    self.until = until
    self.lines = lines
    self.isTruncated = isTruncated
  }

  package static let jobLimit = 1_000_000

  enum CodingKeys: String, CodingKey {
    case lines
    case from = "from_ms"
    case until = "until_ms"
    case isTruncated = "truncated"
  }
}
