public import Foundation
public import JobModel
import JobTransport

/// A summary of jobs that have ended, by department.
public struct JobReport: Hashable, Sendable {
  /// The times of many jobs.
  public struct Times: Hashable, Sendable {
    /// Half of the jobs took at most this.
    public var median: Duration
    /// 90 in a hundred took at most this.
    public var p90: Duration
    /// 99 in a hundred took at most this.
    public var p99: Duration
    /// The slowest job took this.
    public var longest: Duration
  }

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
  }

  /// When the first of the jobs was accepted; nil when no job has ended.
  public var from: Date?
  /// When the last of the jobs ended; nil when no job has ended.
  public var until: Date?
  /// One line for each department with such jobs.
  public var lines: [Line]
  /// Whether there are so many jobs that only the latest were counted.
  public var isTruncated: Bool
}

extension TellerClient {
  /// Sums up the jobs that ended since a moment.
  ///
  /// - Parameters:
  ///   - since: The moment, by the coordinator's clock.
  ///   - department: Only this department; nil: all.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func report(since: Date, department: Department? = nil) async throws -> JobReport {
    JobReport(try await ask(.report(ReportQuery(since: Timestamp(since), department: department))))
  }

  /// Sums up the steps of a plan that have ended.
  ///
  /// - Parameter plan: The plan's id.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such plan; `CancellationError`.
  public func report(plan: JobID) async throws -> JobReport {
    JobReport(try await ask(.report(ReportQuery(plan: plan))))
  }
}

extension JobReport {
  init(_ document: ReportDocument) {
    self.init(
      from: document.from?.date, until: document.until?.date,
      lines: document.lines.map { line in
        Line(
          department: line.department, succeeded: line.succeeded, failed: line.failed, cancelled: line.cancelled,
          retries: line.retries, waited: line.waited.map(Times.init), ran: line.ran.map(Times.init))
      },
      isTruncated: document.isTruncated)
  }
}

extension JobReport.Times {
  init(_ times: ReportDocument.Times) {
    self.init(
      median: .milliseconds(times.p50), p90: .milliseconds(times.p90), p99: .milliseconds(times.p99),
      longest: .milliseconds(times.max))
  }
}
