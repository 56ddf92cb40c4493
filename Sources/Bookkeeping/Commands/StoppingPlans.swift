import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Plans that an operator stops: what runs of a plan is cancelled, and the operator says what becomes of the jobs behind
/// its gates.
struct StoppingPlans {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let gates: PlanGates
  let plans: PlanAdvancing
  let events: PlanEvents
  let operating: Operating
  let time: LedgerTime
  let logger: Logger

  /// A command that comes again has the same id, and gets the first answer: another run may have begun meanwhile.
  func stopPlan(_ order: PlanStopOrder, by author: CommandAuthor, command: UUID?, _ turn: Turn) throws -> Result<
    PlanStop, JobFailure
  > {
    if let known = try command.flatMap(turn.ledger.planStop(by:)) { return .success(known) }
    let result = try stop(order, by: author, turn)
    if let command, case .success(let stop) = result { try turn.ledger.add(stop, by: command, at: time.now) }
    return result
  }

  private func stop(
    _ order: PlanStopOrder, by author: CommandAuthor, _ turn: Turn
  ) throws -> Result<PlanStop, JobFailure> {
    let known = try turn.ledger.phase(of: order.plan)
    guard known != nil || configuration.plans[order.plan] != nil else {
      return .failure(.unknownPlan(order.plan, known: configuration.plans.keys))
    }
    var record = known ?? PlanPhaseRecord(notStarted: order.plan)
    let gated = try gates.departments(behind: record, turn.ledger)
    guard order.gates != .cancel || operating.operations.hasPlaces(for: gated.count) else {
      return .failure(.tooManyOperations())
    }
    let before = record.phase
    let steps = try cancel(record, by: author, turn)
    record.phase = before == .failed ? .failed : .stopped
    record.areGatesOpen = order.gates == .open
    try turn.ledger.save(record)
    try gates.closeDepartments(by: turn.ledger)
    logger.notice(
      "plan stopped", metadata: ["plan": "\(order.plan)", "was": "\(before)", "gates": "\(order.gates.rawValue)"])
    let operations = order.gates == .cancel ? try gated.map { try cancelJobs(of: $0, by: author, turn) } : []
    return .success(
      PlanStop(
        plan: order.plan, before: before, cancelledSteps: steps, gates: order.gates, departments: gated,
        stillGated: gated.filter { departments[$0].gates.contains { $0 != order.plan } },
        operations: operations.compactMap(\.self)))
  }

  /// Of an open plan, the events that nobody has begun are kept for the next run: they would stand before it.
  ///
  /// - Returns: how many steps that were.
  private func cancel(_ record: PlanPhaseRecord, by author: CommandAuthor, _ turn: Turn) throws -> Int {
    guard let run = try record.run.flatMap(turn.ledger.plan) else { return 0 }
    guard run.outcome == nil else {
      // The file may have moved the plan to another department while it was open.
      for department in Set([run.department, configuration.plans[record.name]?.definition.department ?? run.department])
      {
        let held = try turn.ledger.heldEvents(of: run, in: department)
        for job in held { try events.keepAgain(job, at: time.now, turn) }
      }
      return 0
    }
    return try plans.cancel(run, because: .cancelled(by: "\(author.words), who stopped the plan"), turn)
  }

  private func cancelJobs(of department: Department, by author: CommandAuthor, _ turn: Turn) throws -> Int64? {
    let total = departments[department].heldCount + departments[department].releasedCount
    let selection = JobSelection(department: department)
    return try operating.begin(.cancel, selection, total: total, by: author, command: nil, turn)?.id
  }
}
