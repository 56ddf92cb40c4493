package import AMQP
package import Bookkeeping
import Decisions
package import JobModel
import JobTransport
import Ledger
import Logging

/// Answers what anyone may ask: from the memory, or from the ledger through a reader of its own, so that no question
/// delays the flow.
package struct Questions {
  private let bookkeeper: Bookkeeper
  private let outbox: Outbox

  package init(bookkeeper: Bookkeeper, outbox: Outbox) { (self.bookkeeper, self.outbox) = (bookkeeper, outbox) }

  /// Answers a question. `broker`: the state of the coordinator's connections.
  ///
  /// - Returns: the answer; nil: there is none, or it comes later.
  package func answer(to delivery: Delivery, broker: BrokerState) async throws -> TransientPublishing? {
    switch RequestCodec.decode(delivery) {
    case .asked(let request, let address):
      let answer = try await answer(request, of: delivery.properties.userID, address, broker)
      // It may tell of a turn that is not safe yet.
      if answer != nil { try await bookkeeper.waitUntilSafe() }
      return answer
    case .refused(let failure, let address): return AnswerCodec.encode(failure, to: address)
    case .unanswerable(let reason):
      await bookkeeper.noteRefusal(.request, reason)
      return nil
    }
  }

  /// Nil: the answer comes later. A question that the ledger cannot answer is told so; that is no reason to stop the
  /// flow.
  private func answer(
    _ request: Request, of user: String?, _ address: AnswerAddress, _ broker: BrokerState
  ) async throws -> TransientPublishing? {
    do {
      if let failure = await bookkeeper.refusal(of: .ask, by: user) { throw failure }
      return try await document(request, address, broker).map { AnswerCodec.encode($0, to: address) }
    } catch let failure as JobFailure {
      return AnswerCodec.encode(failure, to: address)
    } catch let error as LedgerError {
      try Task.checkCancellation()
      bookkeeper.logger.error("question not answered", metadata: ["reason": "\(error)"])
      return AnswerCodec.encode(JobFailure(code: JobFailure.Code.internalError, message: "\(error)"), to: address)
    }
  }

  /// - Returns: Nil: the answer comes later.
  /// - Throws: `JobFailure`, which is the answer then.
  private func document(
    _ request: Request, _ address: AnswerAddress, _ broker: BrokerState
  ) async throws -> (any AnswerDocument)? {
    switch request {
    case .status: return try await bookkeeper.status(broker: broker, at: await bookkeeper.monotonic)
    case .board(let query): return try await showBoard(query, broker)
    case .jobs(let query):
      let document = try await bookkeeper.listJobs(query)
      if document.jobs.isEmpty, document.next == nil, query.before == nil { try await check(query) }
      return document
    case .failures(let query):
      let document = try await bookkeeper.countFailures(query)
      if document.lines.isEmpty, document.next == nil, query.before == nil { try await check(query.department) }
      return document
    case .count(let query): return try await count(query)
    case .show(let id): return try await found(bookkeeper.showJob(id), or: .jobNotFound(id))
    case .wait(let query):
      await outbox.waitForRoom()
      if let failure = try await bookkeeper.beginWaiting(query, address, at: await bookkeeper.monotonic) {
        throw failure
      }
      return nil
    case .explain(let id): return try await found(bookkeeper.explain(id), or: .jobNotFound(id))
    case .report(let query):
      let document = try await bookkeeper.reportTotals(query)
      if document.lines.isEmpty { try await check(query) }
      return document
    case .operation(let id): return try await found(bookkeeper.operationDocument(id), or: .operationNotFound(id))
    case .workers(let query): return try await list(query)
    case .schedules(let query): return try await bookkeeper.listSchedules(query)
    case .keys(let query): return try await bookkeeper.listKeys(query)
    case .key(let query):
      await outbox.waitForRoom()
      return try await bookkeeper.beginWaiting(query, address, at: await bookkeeper.monotonic)
    case .actions(let query): return try await bookkeeper.listActions(query)
    case .plans(let query): return try await list(query)
    case .plan(let reference): return try await found(bookkeeper.showPlan(reference), or: .planNotFound(reference))
    case .events(let query): return try await bookkeeper.listEvents(query)
    case .event(let id): return try await found(bookkeeper.showEvent(id), or: .eventNotFound(id))
    case .subscriber(let name): return try await found(bookkeeper.subscriber(name), or: .subscriberNotFound(name))
    case .subscribers(let query): return try await bookkeeper.listSubscribers(query)
    case .keepPlace(let order): return try await bookkeeper.keepPlace(order).get()
    }
  }

  private func showBoard(_ query: BoardQuery, _ broker: BrokerState) async throws -> Board {
    let board = try await bookkeeper.showBoard(query, broker: broker, at: await bookkeeper.monotonic)
    let known = Set(board.departments.map(\.status.department))
    for department in query.departments where !known.contains(department) { try await check(department) }
    return board
  }

  private func list(_ query: WorkerQuery) async throws -> WorkerPage {
    let page = await bookkeeper.listWorkers(query, at: await bookkeeper.monotonic)
    if page.workers.isEmpty, query.after == nil { try await check(query.department) }
    return page
  }

  private func list(_ query: PlanQuery) async throws -> PlanPage {
    let page = try await bookkeeper.listPlans(query)
    if page.plans.isEmpty, page.next == nil, query.before == nil { try await check(query.department) }
    return page
  }

  private func count(_ query: CountQuery) async throws -> JobCount? {
    // The command would be refused, too.
    try await check(query.department)
    guard let action = OperationRecord.Action(rawValue: query.action.rawValue) else { return nil }
    return try await bookkeeper.count(
      action, department: query.department, kind: query.kind, narrowing: query.narrowing)
  }

  private func found<Document: AnswerDocument>(_ document: Document?, or failure: JobFailure) throws -> Document {
    guard let document else { throw failure }
    return document
  }

  /// Why nothing is found of a department: its name is unknown.
  private func check(_ department: Department?) async throws {
    guard let department else { return }
    if let failure = await bookkeeper.unknownDepartment(department) { throw failure }
  }

  /// Why a list is empty: its department or its plan is unknown.
  private func check(_ query: JobQuery) async throws {
    try await check(query.department)
    try await check(plan: query.plan)
  }

  /// Why a report is empty, likewise.
  private func check(_ query: ReportQuery) async throws {
    try await check(query.department)
    try await check(plan: query.plan)
  }

  private func check(plan: JobID?) async throws {
    if let plan, try await bookkeeper.ledger.read({ try $0.plan(plan) }) == nil {
      throw JobFailure.planNotFound(plan)
    }
  }
}

extension JobFailure {
  fileprivate static func planNotFound(_ reference: String) -> JobFailure {
    JobFailure(
      code: Code.notFound,
      message: "there is no plan \"\(reference)\": neither in the coordinator's teller.yaml nor in the ledger; "
        + "`teller plan list` names them")
  }

  fileprivate static func eventNotFound(_ id: JobID) -> JobFailure {
    JobFailure(
      code: Code.notFound, message: "the ledger has no event \(id): correct the id; old events are removed")
  }

  fileprivate static func planNotFound(_ id: JobID) -> JobFailure {
    JobFailure(
      code: Code.notFound,
      message: "the ledger has no plan \(id): correct the id; plans that ended long ago are removed")
  }
}
