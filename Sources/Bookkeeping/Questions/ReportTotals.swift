package import JobModel
package import JobTransport
package import Ledger

extension Bookkeeper {
  /// Sums up what has ended. It reads beside the flow.
  package func reportTotals(_ query: ReportQuery) async throws(LedgerError) -> JobReport {
    let clock = parts.time.clock
    return try await ledger.read { queries in
      var sums: [Department: Sum] = [:]
      var (from, until) = (Timestamp?.none, Timestamp?.none)
      let isComplete = try queries.reportRows(
        since: query.since.map(clock.ledgerTime), plan: query.plan, department: query.department,
        limit: JobReport.jobLimit
      ) { row in
        sums[row.department, default: Sum()].add(row)
        from = min(from ?? row.acceptedAt, row.acceptedAt)
        until = max(until ?? row.finishedAt, row.finishedAt)
      }
      let last = try queries.lastNotification()
      let lines = sums.sorted { $0.key < $1.key }.map { $0.value.line(of: $0.key) }
      return JobReport(
        from: from.map(clock.wallTime), until: until.map(clock.wallTime), lines: lines, isTruncated: !isComplete,
        epoch: last.epoch, through: last.seq)
    }
  }
}

/// One department's jobs, summed up.
private struct Sum {
  private var ended: [JobState: Int] = [:]
  private var retries = 0
  private var waited: [Duration] = []
  private var ran: [Duration] = []

  mutating func add(_ row: ReportRow) {
    ended[row.state, default: 0] += 1
    retries += max(0, row.attempt - 1)
    if let startedAt = row.startedAt {
      waited.append(.milliseconds(max(0, startedAt.milliseconds(since: row.acceptedAt))))
    }
    if let time = row.ran { ran.append(time) }
  }

  func line(of department: Department) -> JobReport.Line {
    JobReport.Line(
      department: department, succeeded: ended[.succeeded] ?? 0, failed: ended[.failed] ?? 0,
      cancelled: ended[.cancelled] ?? 0, retries: retries, waited: Sum.times(waited), ran: Sum.times(ran))
  }

  /// By nearest rank.
  private static func times(_ values: [Duration]) -> JobReport.Times? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let at = { (part: Double) in sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)].milliseconds }
    let sum = sorted.reduce(.zero, +).milliseconds
    return JobReport.Times(p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1), sum: sum)
  }
}
