package import Foundation
package import JobModel
package import JobTransport
package import Ledger

/// A command that is to be recorded with what it does: in the same turn, so that neither is recorded without the other.
package struct CommandNote: Sendable {
  let request: AdminRequest
  let author: CommandAuthor
  /// The command's own id: one that comes again is recorded once.
  let command: UUID?

  package init(_ request: AdminRequest, by author: CommandAuthor, command: UUID?) {
    (self.request, self.author, self.command) = (request, author, command)
  }

  /// `answer`: what the command has done; nil: it is not known yet.
  func record(_ answer: (any Answer)?, at now: Timestamp, _ turn: Turn) throws {
    let actions = request.actions(answer, by: author, at: now)
    if !actions.isEmpty { try turn.ledger.addActions(actions, command: command) }
  }
}

extension Bookkeeper {
  /// Records that somebody reads a payload, before it is told.
  package func note(_ reading: CommandNote) throws(LedgerError) {
    try record { try reading.record(nil, at: parts.time.now, $0) }
  }

  /// Actions of operators, the newest first.
  package func listActions(_ query: ActionQuery) async throws(LedgerError) -> ActionPage {
    let actions = try await ledger.read { try $0.actions(query) }
    let clock = parts.time.clock
    return ActionPage(
      actions: actions.map { $0.shown(by: clock) }, next: actions.count == query.limit ? actions.last?.number : nil)
  }
}

extension OperatorAction {
  func shown(by clock: LedgerClock) -> OperatorAction {
    var action = self
    action.at = clock.wallTime(of: at)
    return action
  }
}

extension AdminRequest {
  /// What a command that was answered so has done, a row for each job that it has changed; nothing for one that changed none.
  func actions(_ answer: (any Answer)?, by author: CommandAuthor, at now: Timestamp) -> [OperatorAction] {
    let action = OperatorAction(action: word, at: now, by: author.by, user: author.user)
    switch self {
    case .cancel(let selection), .replay(let selection), .drop(let selection):
      guard let changes = answer as? JobChanges else { return [action.of(selection, answer as? JobOperation)] }
      return changes.changed.map { action.about($0) }
    case .reset: return [action.of(JobSelection(), answer as? JobOperation)]
    case .rerank(let order):
      return [action.about(order.job, order.priority.map { "priority \($0)" } ?? order.rank.map { "rank \($0)" })]
    case .payload(let job): return [action.about(job)]
    case .pause(let department), .resume(let department):
      return (answer as? DepartmentPause)?.isNew == false ? [] : [action.about(department)]
    case .resize(let order):
      return [action.about(order.department, named: order.worker, "tellers \(order.tellers)")]
    case .freeKey(let order):
      return (answer as? FreedKey)?.wasTaken == false ? [] : [action.about(order.kind, key: order.key)]
    case .resetKeys(let order):
      return [action.about(order.kind, key: order.key, began: (answer as? JobOperation)?.id)]
    case .drainWorker(let order): return [action.about(nil, named: order.worker)]
    case .stopPlan(let order):
      let stop = action.about(nil, named: order.plan.name, "gates \(order.gates.rawValue)")
      return [stop] + ((answer as? PlanStop)?.operations ?? []).map { stop.began($0) }
    case .forgetSubscriber(let name):
      return (answer as? ForgottenSubscriber)?.wasKept == false ? [] : [action.about(nil, named: name.name)]
    }
  }
}

extension OperatorAction {
  fileprivate func about(_ job: JobID, _ detail: String? = nil) -> OperatorAction {
    var action = self
    (action.job, action.detail) = (job, detail)
    return action
  }

  fileprivate func about(
    _ department: Department?, named name: String? = nil, _ detail: String? = nil
  ) -> OperatorAction {
    var action = self
    (action.department, action.name, action.detail) = (department, name, detail)
    return action
  }

  fileprivate func about(_ kind: JobKind, key: String?, began operation: JobOperation.ID? = nil) -> OperatorAction {
    var action = self
    (action.kind, action.name, action.operation) = (kind, key, operation)
    return action
  }

  fileprivate func began(_ operation: JobOperation.ID) -> OperatorAction {
    var action = self
    action.operation = operation
    return action
  }

  fileprivate func of(_ selection: JobSelection, _ operation: JobOperation?) -> OperatorAction {
    var action = self
    (action.department, action.kind, action.operation) = (selection.department, selection.kind, operation?.id)
    return action
  }
}
