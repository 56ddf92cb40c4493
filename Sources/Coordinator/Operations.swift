import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Commands about many jobs: recorded first, then carried out in steps, whoever is the coordinator by then.
extension Bookkeeper {
  /// How many jobs one step looks at.
  static let operationStep = 256

  /// Records a command about all jobs that pass a filter and are accepted by now; nil when too many go on.
  /// A command that comes again, known by its id, is the operation that it began.
  func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, command: UUID? = nil
  ) throws(LedgerError) -> OperationDocument? {
    try turn { turn in
      if let known = try command.flatMap(turn.ledger.operation(begunBy:)) {
        return OperationDocument(clock.shown(known))
      }
      guard chores.operations.count < Chores.operationLimit else { return nil }
      let operation = try turn.ledger.addOperation(
        action, department: selection.department, kind: selection.kind,
        total: try total(action, selection, turn),
        at: now, command: command)
      logger.notice("operation began", metadata: ["action": "\(action.rawValue)", "id": "\(operation.id)"])
      chores.operations.append(operation)
      chores.clearing[operation.id] = clearedDepartments(by: operation)
      return OperationDocument(clock.shown(operation))
    }
  }

  /// How many jobs it is to look at.
  private func total(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ turn: Turn
  ) throws -> Int {
    switch action {
    case .cancel, .reset:
      guard selection.kind == nil else {
        return try turn.ledger.liveCount(upTo: .max, department: selection.department, kind: selection.kind)
      }
      let concerned = desks.filter { selection.department == nil || $0.key == selection.department }
      return concerned.values.reduce(0) { $0 + $1.heldCount + $1.releasedCount }
    case .replay, .drop:
      return try turn.ledger.failedCount(
        upTo: .max, department: selection.department, kind: selection.kind)
    }
  }

  /// How far it has come.
  func operation(_ id: Int64) async throws(LedgerError) -> OperationDocument? {
    try await ledger.read { try $0.operation(id) }.map { OperationDocument(clock.shown($0)) }
  }

  /// The next step of the oldest command.
  func continueOperation() throws(LedgerError) {
    let goesOn = try turn { turn in
      guard var operation = chores.operations.first else { return false }
      let isDone =
        switch operation.action {
        case .cancel, .reset: try cancelStep(&operation, turn)
        case .replay, .drop: try failedStep(&operation, turn)
        }
      if isDone { operation.finishedAt = now }
      try turn.ledger.saveOperation(operation)
      chores.operations[0] = operation
      guard isDone else { return true }
      chores.operations.removeFirst()
      chores.clearing[operation.id] = nil
      logger.notice(
        "operation ended", metadata: ["id": "\(operation.id)", "jobs": "\(operation.changed)"])
      // Nothing of what it covered was released meanwhile.
      unfilled.formUnion(desks.keys)
      try fill(turn)
      return false
    }
    if goesOn { FaultPoint.reached("operations.between-steps") }
  }

  private func cancelStep(
    _ operation: inout OperationRecord, _ turn: Turn
  ) throws -> Bool {
    let page = try turn.ledger.liveJobs(
      after: operation.position, upTo: operation.upTo, department: operation.department, kind: operation.kind,
      limit: Bookkeeper.operationStep)
    let reason = JobFailure.cancelled(by: operation.action == .reset ? "a reset" : "an operator")
    for job in page.jobs {
      // A step of a plan may have ended with one that was cancelled before it.
      guard try turn.ledger.hasOutcome(job.id) == false else { continue }
      operation.changed += try cancel(
        job, wholePlan: operation.kind == nil, because: reason, turn)
    }
    operation.looked += page.looked
    operation.position = page.position
    return page.isLast
  }

  /// Cancels a job; as part of all that a department has, with its whole plan, all of whose steps are there.
  ///
  /// - Returns: how many jobs that were.
  private func cancel(
    _ job: Job, wholePlan: Bool, because reason: JobFailure, _ turn: Turn
  ) throws -> Int {
    if wholePlan, let id = job.plan, let plan = try turn.ledger.plan(id), plan.outcome == nil {
      return try cancel(plan, because: reason, turn)
    }
    try end(job, .cancelled(reason), turn)
    return 1
  }

  private func failedStep(
    _ operation: inout OperationRecord, _ turn: Turn
  ) throws -> Bool {
    let page = try turn.ledger.failedJobs(
      after: operation.position, upTo: operation.upTo, department: operation.department, kind: operation.kind,
      limit: Bookkeeper.operationStep)
    for job in page.jobs {
      if operation.action == .replay {
        guard try replay(job, turn) != nil else { continue }
      } else {
        guard try turn.ledger.settle(job.number, .dropped) else { continue }
      }
      operation.changed += 1
    }
    operation.looked += page.looked
    operation.position = page.position
    if operation.action == .replay { try fill(turn) }
    return page.isLast
  }

  /// Whether a command is about to cancel what a department held when it was given: nothing held is released meanwhile,
  /// or it would run while it waits to be cancelled.
  func isBeingCleared(_ department: Department) -> Bool {
    !chores.clearing.isEmpty && chores.clearing.values.contains { $0.contains(department) }
  }

  /// The departments in which a command is about to cancel everything that is held.
  func clearedDepartments(by operation: OperationRecord) -> Set<Department> {
    guard operation.action == .cancel || operation.action == .reset, operation.kind == nil else { return [] }
    let concerned = desks.filter { operation.department == nil || $0.key == operation.department }
    return Set(concerned.filter { $0.value.heldCount > 0 }.keys)
  }
}

extension OperationDocument {
  init(_ record: OperationRecord) {
    self.init(
      id: record.id, action: record.action.rawValue, department: record.department, kind: record.kind,
      changed: record.changed, looked: record.looked, total: record.total, startedAt: record.startedAt,
      finishedAt: record.finishedAt)
  }
}
