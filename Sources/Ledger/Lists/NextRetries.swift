package import JobModel

/// The jobs of a department that are tried again next.
package struct RetryTally: Hashable, Sendable {
  /// When the first one may run, by the ledger's time.
  package var next: Timestamp
  /// By code: how many of them failed with it, and the last message.
  private var errors: [ExactText: Failures] = [:]

  private struct Failures: Hashable {
    var jobs = 0
    var message = ""
  }

  init(next: Timestamp) { self.next = next }

  fileprivate mutating func add(_ code: String, _ message: String) {
    errors[ExactText(code), default: Failures()].jobs += 1
    errors[ExactText(code), default: Failures()].message = message
  }

  /// The error of most of them; of two with as many jobs the first by name.
  package var mostFrequent: JobFailure? {
    errors.min { ($1.value.jobs, $0.key) < ($0.value.jobs, $1.key) }.map {
      JobFailure(code: $0.key.wrappedValue, message: $0.value.message)
    }
  }
}

extension LedgerQueries {
  /// How many held jobs that wait for a time are looked at, those with the earliest time first.
  package static let retryLimit = 1_000

  /// The jobs that are tried again next, by department: of the first ``retryLimit`` jobs that wait for a time those that have
  /// failed.
  package func nextRetries() throws -> [Department: RetryTally] {
    var tallies: [Department: RetryTally] = [:]
    try statements.each(Self.nextRetriesText, LedgerQueries.retryLimit) { row in
      let (department, next): (Department, Timestamp) = (try row[0], try row[1])
      guard let code: String = try row[2] as String? else {
        tallies[department] = tallies[department] ?? RetryTally(next: next)
        return
      }
      tallies[department, default: RetryTally(next: next)].add(code, try row[3] as String? ?? "")
    }
    return tallies
  }

  static let nextRetriesText = """
    SELECT due.department, due.not_before, attempt.error_code, attempt.error_message
    FROM (
      SELECT number, department, not_before, attempt FROM job INDEXED BY job_due
      WHERE state = 0 AND by_clock = 0 AND not_before IS NOT NULL ORDER BY not_before LIMIT ?
    ) AS due LEFT JOIN attempt ON attempt.job = due.number AND attempt.number = due.attempt - 1
    WHERE due.attempt > 1
    """
}
