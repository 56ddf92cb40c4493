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
  /// How many jobs of rules are reset with one job that had the key.
  static let chainLimit = 1_000

  /// Resets one key, or all of a kind. The keys are free with this turn, however many there are: the jobs that had them
  /// are cancelled in steps, the first of which is part of the turn. A command that comes again, known by its id, is the
  /// operation that it began: it does not reset a key that was used since.
  ///
  /// - Returns: nil when too many commands go on.
  func begin(
    _ kind: JobKind, _ key: String?, by author: CommandAuthor, command: UUID?, _ turn: Turn
  ) throws -> JobOperation? {
    if let known = try command.flatMap(turn.ledger.operation(begunBy:)) { return JobOperation(known, by: time.clock) }
    guard !operations.isFull else { return nil }
    var operation = try turn.ledger.addOperation(
      .resetKeys, department: nil, kind: kind, key: key, total: 0, by: author, at: time.now, command: command)
    let last = try key.flatMap { try turn.ledger.lastJob(withKey: $0, of: kind) }
    try forgetKeys(kind, key, of: last?.id, upTo: operation.upTo, turn)
    if let last { try resetChain(of: last.id, &operation, turn) }
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
    for job in page.jobs where job.key != nil { try cancel(job, &operation, turn) }
    operation.looked += page.jobs.count
    operation.position = page.position
    let isLastKey = try removeKeys(of: kind, &operation, turn)
    return page.isLast && isLastKey
  }

  /// The keys are free with this.
  private func forgetKeys(_ kind: JobKind, _ key: String?, of job: JobID?, upTo number: Int64, _ turn: Turn) throws {
    let wasTaken = try key.map { try turn.ledger.keyHolder(kind, $0)?.isTaken(at: time.now) == true } ?? true
    try turn.ledger.forgetKeys(kind, key, upTo: number, at: time.now)
    guard wasTaken else { return }
    if let key {
      try turn.tellFreed(FreedKeyRecord(kind: kind, text: key, job: job), at: time.now)
    } else {
      try turn.tellFreed(allOf: kind, at: time.now)
    }
  }

  /// - Returns: Whether those were the last.
  private func removeKeys(of kind: JobKind, _ operation: inout OperationRecord, _ turn: Turn) throws -> Bool {
    if let key = operation.key {
      try turn.ledger.removeResetKey(kind, key, upTo: operation.upTo)
      return true
    }
    let jobs = try turn.ledger.removeResetKeys(kind, upTo: operation.upTo, limit: ResettingKeys.stepLimit)
    for job in jobs { try resetChain(of: job, &operation, turn) }
    return jobs.count < ResettingKeys.stepLimit
  }

  /// Cancels what rules have made of what happened to a job, and resets the keys of these jobs: the next use makes them
  /// again. Deliveries go on: what they tell has happened.
  private func resetChain(of job: JobID, _ operation: inout OperationRecord, _ turn: Turn) throws {
    for link in try turn.ledger.chain(of: job, limit: ResettingKeys.chainLimit)
    where link.kind != WebhookSettings.kind {
      if let key = link.key {
        try forgetKeys(link.kind, key, of: link.id, upTo: operation.upTo, turn)
        try turn.ledger.removeResetKey(link.kind, key, upTo: operation.upTo)
      }
      try cancel(link, &operation, turn)
    }
  }

  private func cancel(_ job: Job, _ operation: inout OperationRecord, _ turn: Turn) throws {
    guard try turn.ledger.isUnfinished(job.number) else { return }
    turn.reset(job.id)
    try ending.endJob(job, .cancelled(.cancelled(by: "a reset of its key")), turn)
    operation.changed += 1
    try plans.advance(turn)
  }
}
