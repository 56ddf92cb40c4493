import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Commands about many jobs: recorded first, then carried out in steps, also by a coordinator that starts later.
struct Operating {
  let operations: OpenOperations
  let releases: Releases
  let ending: Ending
  let plans: PlanAdvancing
  let replaying: Replaying
  let resettingKeys: ResettingKeys
  let restoring: Restoring
  let time: LedgerTime
  let logger: Logger

  /// How many jobs one step looks at.
  static let stepLimit = 256

  /// Records a command about all jobs that pass a filter and are accepted by now; nil when too many go on. `total` says
  /// how many jobs that are. A command that comes again, known by its id, is the operation that it began.
  func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, total: Int, by author: CommandAuthor, command: UUID?,
    _ turn: Turn
  ) throws -> JobOperation? {
    if let known = try command.flatMap(turn.ledger.operation(begunBy:)) {
      return JobOperation(known, by: time.clock)
    }
    guard !operations.isFull else { return nil }
    let operation = try turn.ledger.addOperation(
      action, department: selection.department, kind: selection.kind, narrowing: selection.narrowing, total: total,
      by: author, at: time.now, command: command)
    logger.notice("operation began", metadata: ["action": "\(action.rawValue)", "id": "\(operation.id)"])
    operations.begin(operation)
    return JobOperation(operation, by: time.clock)
  }

  /// The next step of the oldest command.
  ///
  /// - Returns: Whether the command goes on.
  func step(_ turn: Turn) throws -> Bool {
    guard var operation = operations.list.first else { return false }
    let isDone =
      switch operation.action {
      case .cancel, .reset: try cancel(&operation, turn)
      case .replay, .drop: try lookAfterFailed(&operation, turn)
      case .resetKeys: try resettingKeys.step(&operation, turn)
      case .acceptRestored, .dropRestored: try restoring.step(&operation, turn)
      }
    if isDone { operation.finishedAt = time.now }
    try turn.ledger.saveOperation(operation)
    operations.stepped(operation)
    if isDone {
      logger.notice("operation ended", metadata: ["id": "\(operation.id)", "jobs": "\(operation.changed)"])
    }
    return !isDone
  }

  private func cancel(_ operation: inout OperationRecord, _ turn: Turn) throws -> Bool {
    let page = try turn.ledger.liveJobs(
      after: operation.position, upTo: operation.upTo, department: operation.department, kind: operation.kind,
      limit: Operating.stepLimit)
    let reason = JobFailure.cancelled(by: operation.author.words(of: operation.action))
    let jobs = meant(page.jobs, by: operation)
    for job in jobs {
      // A step of a plan may have ended with one that was cancelled before it; an event's job may be gone.
      guard try turn.ledger.isUnfinished(job.number) else { continue }
      operation.changed += try cancel(job, of: operation, because: reason, turn)
      try plans.advance(turn)
    }
    return goOn(&operation, page, looked: jobs.count)
  }

  /// The jobs of a page that the command is about.
  private func meant(_ jobs: [Job], by operation: OperationRecord) -> [Job] {
    guard !operation.narrowing.isEmpty else { return jobs }
    let narrowing = time.clock.inLedgerTime(operation.narrowing)
    return jobs.filter { narrowing.passes($0, $0.visibleState(isRunning: releases.live.state(of: $0.id) == .running)) }
  }

  /// Cancels a job; as part of all that a department has, with its whole plan, all of whose steps are there.
  ///
  /// - Returns: how many jobs that were.
  private func cancel(
    _ job: Job, of operation: OperationRecord, because reason: JobFailure, _ turn: Turn
  ) throws -> Int {
    var steps = 0
    if let plan = try plan(of: job, in: operation, turn) {
      steps = try plans.cancel(plan, because: reason, turn)
      // An event's job that was begun goes on when only its plan is cancelled.
      guard job.round == 0, try turn.ledger.isUnfinished(job.number) else { return steps }
    }
    try ending.endJob(job, .cancelled(reason), turn)
    return steps + 1
  }

  /// The plan that is cancelled with a job. A plan that began after the command is not: it may have taken over an event.
  private func plan(of job: Job, in operation: OperationRecord, _ turn: Turn) throws -> PlanRecord? {
    guard operation.kind == nil, operation.narrowing.isEmpty, let plan = try job.plan.flatMap(turn.ledger.plan),
      plan.outcome == nil
    else {
      return nil
    }
    return plan.number <= operation.upTo ? plan : nil
  }

  private func lookAfterFailed(_ operation: inout OperationRecord, _ turn: Turn) throws -> Bool {
    let page = try turn.ledger.failedJobs(
      after: operation.position, upTo: operation.upTo, department: operation.department, kind: operation.kind,
      limit: Operating.stepLimit)
    let jobs = meant(page.jobs, by: operation)
    for job in jobs {
      let isChanged =
        operation.action == .replay
        ? try replaying.replay(job, turn) != nil : try replaying.settle(job, .dropped, turn)
      if isChanged { operation.changed += 1 }
    }
    return goOn(&operation, page, looked: jobs.count)
  }

  /// - Returns: Whether that was the last page.
  private func goOn(_ operation: inout OperationRecord, _ page: JobStep, looked: Int) -> Bool {
    operation.looked += looked
    operation.position = page.position
    return page.isLast
  }
}

extension CommandAuthor {
  /// For the reason of what an operation did.
  fileprivate func words(of action: OperationRecord.Action) -> String {
    action == .reset ? "a reset" + (by == nil ? "" : " by " + words) : words
  }
}
