public import Foundation

/// A summary of jobs that have ended, by department.
public struct JobReport: Hashable, Sendable {
  /// The departments with such jobs.
  public var lines: [Line]
  /// Whether there are more than ``jobLimit`` jobs, so that only the latest were counted.
  public var isTruncated: Bool
  /// The epoch of the ledger.
  public var epoch: Int
  /// The number of the last event that was recorded before: the report has the jobs that ended by then.
  public var through: Int64
  package var fromTime: Timestamp?
  package var untilTime: Timestamp?

  /// The most jobs that are counted.
  public static let jobLimit = 1_000_000

  package init(
    from: Timestamp?, until: Timestamp?, lines: [Line], isTruncated: Bool, epoch: Int, through: Int64
  ) {
    (fromTime, untilTime) = (from, until)
    (self.lines, self.isTruncated) = (lines, isTruncated)
    (self.epoch, self.through) = (epoch, through)
  }

  /// When the first of the jobs was accepted; nil when no job has ended.
  public var from: Date? { fromTime?.date }
  /// When the last of the jobs ended; nil when no job has ended.
  public var until: Date? { untilTime?.date }

  /// One department.
  public struct Line: Hashable, Sendable {
    /// The department.
    public var department: Department
    /// Jobs that succeeded.
    public var succeeded: Int
    /// Jobs that failed.
    public var failed: Int
    /// Jobs that were cancelled.
    public var cancelled: Int
    /// Attempts beyond the first of each job.
    public var retries: Int
    /// From the acceptance to the start of the last attempt; nil when no attempt began.
    public var waited: Times?
    /// How long the last attempt ran; nil when no attempt began.
    public var ran: Times?

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
  }

  /// The times of many jobs, in whole milliseconds.
  public struct Times: Hashable, Sendable {
    /// Half of the jobs took at most this.
    public var median: Duration { .milliseconds(p50Ms) }
    /// 90 in a hundred took at most this.
    public var p90: Duration { .milliseconds(p90Ms) }
    /// 99 in a hundred took at most this.
    public var p99: Duration { .milliseconds(p99Ms) }
    /// The slowest job took this.
    public var longest: Duration { .milliseconds(maxMs) }

    /// All jobs together took this: divided by the tellers it is the shortest time in which these could have done it.
    public var sum: Duration { .milliseconds(sumMs) }

    private let p50Ms, p90Ms, p99Ms, maxMs, sumMs: Int64

    package init(p50: Int64, p90: Int64, p99: Int64, max: Int64, sum: Int64) {
      (p50Ms, p90Ms, p99Ms, maxMs, sumMs) = (p50, p90, p99, max, sum)
    }
  }
}

extension JobReport: Codable {
  enum CodingKeys: String, CodingKey {
    case lines, epoch, through
    case fromTime = "from_ms"
    case untilTime = "until_ms"
    case isTruncated = "truncated"
  }
}

extension JobReport.Line: Codable {
  enum CodingKeys: String, CodingKey {
    case department, succeeded, failed, cancelled, retries
    case waited = "waited_ms"
    case ran = "ran_ms"
  }
}

extension JobReport.Times: Codable {
  enum CodingKeys: String, CodingKey {
    case p50Ms = "p50"
    case p90Ms = "p90"
    case p99Ms = "p99"
    case maxMs = "max"
    case sumMs = "sum"
  }
}
