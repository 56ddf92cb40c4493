import JobModel
import Ledger

/// How a job is linked to others by rules: what it was made of, and what was made of it.
struct RuleLinks: Sendable {
  private let origin: RuleOrigin?
  private let ledTo: [JobID]

  init(of job: JobID, _ ledger: some LedgerReading) throws {
    origin = try ledger.ruleOrigin(of: job)
    ledTo = try ledger.jobsOfRules(causedBy: job, limit: JobRecord.mostLedTo)
  }

  func write(to record: inout JobRecord) {
    (record.rule, record.cause) = (origin?.rule, origin?.cause)
    record.ruleEvent = origin.map { "\($0.notification.epoch)/\($0.notification.seq)" }
    record.ledTo = ledTo.isEmpty ? nil : ledTo
  }
}
