public import Foundation
public import JobModel
import JobTransport

/// Jobs that have ended, summed up by department.
public struct JobReport: Hashable, Sendable {
  /// Times of many jobs: half of them took at most `median`, nine in ten at most `p90`, 99 in a hundred at most `p99`.
  public struct Times: Hashable, Sendable {
    /// Of the job in the middle.
    public var median: Duration
    /// Of the job that nine in ten are quicker than.
    public var p90: Duration
    /// Of the job that 99 in a hundred are quicker than.
    public var p99: Duration
    /// Of the slowest.
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
    /// From acceptance to the start of the last attempt; nil when none began.
    public var waited: Times?
    /// How long the last attempt ran; nil when none did.
    public var ran: Times?
  }

  /// The first acceptance among them; nil when nothing has ended.
  public var from: Date?
  /// The last end among them; nil when nothing has ended.
  public var until: Date?
  /// The departments that have any.
  public var lines: [Line]
  /// Whether there are so many jobs that only the latest were looked at.
  public var isTruncated: Bool
}

extension TellerClient {
  /// Sums up the jobs that ended since a moment.
  ///
  /// - Parameters:
  ///   - since: By the coordinator's clock.
  ///   - department: Only that one; nil: all.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func report(since: Date, department: Department? = nil) async throws -> JobReport {
    JobReport(try await report(ReportQuery(since: Timestamp(since), department: department)))
  }

  /// Sums up the steps of a plan that have ended.
  ///
  /// - Parameter plan: The plan's id.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such plan; `CancellationError`.
  public func report(plan: JobID) async throws -> JobReport {
    JobReport(try await report(ReportQuery(plan: plan)))
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
