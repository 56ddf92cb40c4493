import Foundation
import JobModel

@testable import Ledger

/// What is written of plans with names and of their events, and what is written seldom.
extension RandomWrites {
  private mutating func name() -> PlanName { one(of: ["opening", "closing", "night"]) }
  private mutating func state() -> EventState { one(of: [.kept, .acted, .announced, .dismissed]) }

  mutating func phase(_ transaction: LedgerTransaction) throws {
    // One for which no event ever comes: only such a plan is forgotten.
    let name = chance(0.2) ? "quiet" : name()
    let definition = PlanDefinition(
      name: name, department: department(), steps: [], events: chance(0.5) ? [PlanEvent("push", rank: 1)] : [],
      gates: chance(0.3) ? [department()] : [])
    let plan = PlanSubmission(id: id(), definition: definition, reply: reply())
    plans.append(plan)
    _ = try transaction.accept(plan, at: .test(now))
    var record = PlanPhaseRecord(name: name, run: plan, isConfigured: chance(0.2))
    try transaction.save(record)
    try transaction.setNames(in: name, events: definition.events.map(\.name), gates: definition.gates)
    if chance(0.8) {
      _ = try transaction.finishPlan(plan.id, outcome(), at: time())
      (record.phase, record.areGatesOpen) = (.failed, chance(0.8))
      try transaction.save(record)
    }
    if chance(0.1) { try transaction.adoptPhases(of: [name]) }
    let stop = PlanStop(plan: name, before: .running, cancelledSteps: 0, gates: .keep, departments: [], operations: [])
    if chance(0.3) { try transaction.add(stop, by: UUID(from: &random), at: time()) }
  }

  mutating func event(_ transaction: LedgerTransaction) throws {
    let event = EventSubmission(id: id(), name: "push", content: JobContent(payload: [1]), reply: reply())
    try transaction.add(
      EventRecord(
        event, plan: name(), department: department(), kind: kind(), state: state(), receivedAt: time()))
    events.append(event.id)
    let known = one(of: events.suffix(5))
    // It may have been removed.
    guard try transaction.event(known) != nil else { return }
    try transaction.set(known, state(), payload: chance(0.5) ? nil : [2], at: time())
    try transaction.set(known, kind: kind(), department: department())
    try transaction.replaceReply(ofEvent: known, reply())
  }

  mutating func rest(_ transaction: LedgerTransaction) throws {
    let (number, job) = job()
    try transaction.settleAttempts(of: number, 5)
    try transaction.clearStartBy(of: number)
    try transaction.orderDrain(of: workerID())
    try transaction.setDrain(of: workerID(), until: chance(0.5) ? nil : time())
    try transaction.holdRestored(self.job().number)
    if chance(0.5) { try transaction.acceptRestored(self.job().number) }
    try transaction.endRestoring()
    if chance(0.5) { try transaction.forgetRemoved(beyond: 3) }
    if chance(0.5) { try transaction.streamIsUnknown(from: number) } else { try transaction.streamIsKnown() }
    try transaction.noteDuplicate(id(), of: number, limit: 3)
    try transaction.setBusy(department(), since: chance(0.5) ? nil : time())
    let place = NotificationPosition(epoch: 1, seq: 1)
    try transaction.add(RuleOrigin(rule: "r", notification: place, cause: id(), depth: 1), of: job.job.id)
    let reader = NotificationReader("a reader")
    try transaction.addReader(reader)
    if chance(0.9) { try transaction.removeReader(reader) }
    if let plan = plans.last, let run = try transaction.plan(plan.id), try transaction.job(number: number)?.order != nil
    {
      try transaction.move(number, to: run)
    }
    if chance(0.1) { try transaction.withdraw(number) }
  }
}
