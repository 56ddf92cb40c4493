import Decisions
import Foundation
import JobModel
import Ledger
import Logging

/// Resets keys: the next use of each is a first use. The jobs that have them are cancelled, and their outcomes are
/// forgotten as outcomes of the keys.
struct ResettingKeys {
  let operations: OpenOperations
  let ending: Ending
  let plans: PlanAdvancing
  let time: LedgerTime
  let logger: Logger

  /// How many jobs one step looks at, and how many keys it removes.
  static let stepLimit = 256

  /// Resets one key, or all of a kind. The keys are free with this turn, however many there are: the jobs that had them
  /// are cancelled in steps, the first of which is part of the turn. A command that comes again, known by its id, is the
  /// operation that it began: it does not reset a key that was used since.
  ///
  /// - Returns: nil when too many commands go on.
  func begin(_ kind: JobKind, _ key: String?, command: UUID?, _ turn: Turn) throws -> JobOperation? {
    if let known = try command.flatMap(turn.ledger.operation(begunBy:)) { return JobOperation(known, by: time.clock) }
    guard !operations.isFull else { return nil }
    var operation = try turn.ledger.addOperation(
      .resetKeys, department: nil, kind: kind, key: key, total: 0, at: time.now, command: command)
    try turn.ledger.forgetKeys(kind, key, upTo: operation.upTo, at: time.now)
    logger.notice("keys are reset", metadata: ["kind": "\(kind)", "operation": "\(operation.id)"])
    if try step(&operation, turn) { operation.finishedAt = time.now }
    try turn.ledger.saveOperation(operation)
    if operation.finishedAt == nil { operations.begin(operation) }
    return JobOperation(operation, by: time.clock)
  }

  /// Cancels the next jobs that had one of the keys, and removes the next keys.
  ///
  /// - Returns: Whether those were the last.
  func step(_ operation: inout OperationRecord, _ turn: Turn) throws -> Bool {
    guard let kind = operation.kind else { return true }
    let page = try turn.ledger.jobs(
      withKeyOf: kind, operation.key, after: operation.position, upTo: operation.upTo, limit: ResettingKeys.stepLimit)
    for job in page.jobs where job.key != nil {
      guard try turn.ledger.isUnfinished(job.number) else { continue }
      try ending.endJob(job, .cancelled(.cancelled(by: "a reset of its key")), turn)
      operation.changed += 1
      try plans.advance(turn)
    }
    operation.looked += page.jobs.count
    operation.position = page.position
    let isLastKey = try turn.ledger.removeResetKeys(
      kind, operation.key, upTo: operation.upTo, limit: ResettingKeys.stepLimit)
    return page.isLast && isLastKey
  }
}
