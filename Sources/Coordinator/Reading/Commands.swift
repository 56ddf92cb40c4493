package import AMQP
package import Bookkeeping
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Carries out what operators ask.
package struct Commands {
  private let bookkeeper: Bookkeeper

  package init(bookkeeper: Bookkeeper) { self.bookkeeper = bookkeeper }

  /// Carries out a command.
  ///
  /// - Returns: the answer; nil: there is none, or it comes later.
  package func answer(to delivery: Delivery) async throws -> TransientPublishing? {
    switch AdminCodec.decode(delivery) {
    case .asked(let request, let address): return try await answer(request, of: delivery, address)
    case .refused(let failure, let address): return AnswerCodec.encode(failure, to: address)
    case .unanswerable(let reason):
      await bookkeeper.noteRefusal(.command, reason)
      return nil
    }
  }

  /// Nil: the answer comes later.
  private func answer(
    _ request: AdminRequest, of delivery: Delivery, _ address: AnswerAddress
  ) async throws -> TransientPublishing? {
    do {
      if let failure = await bookkeeper.refusal(of: request.act, by: delivery.properties.userID) { throw failure }
      let (command, author) = (AdminCodec.command(of: delivery), AdminCodec.author(of: delivery))
      let answer = try await carryOut(Given(request, author, command), address)
      return answer.map { AnswerCodec.encode($0, to: address) }
    } catch let failure as JobFailure {
      return AnswerCodec.encode(failure, to: address)
    } catch let error as LedgerError where error.isOfReading {
      // Nothing was changed, so the coordinator goes on. If it ended here, the command would come back after each restart.
      bookkeeper.logger.error("command not carried out", metadata: ["reason": "\(error)"])
      return AnswerCodec.encode(JobFailure(code: JobFailure.Code.internalError, message: "\(error)"), to: address)
    }
  }

  /// A command, and who gave it by which id.
  private struct Given {
    let request: AdminRequest
    let author: CommandAuthor
    let command: UUID?
    let note: CommandNote

    init(_ request: AdminRequest, _ author: CommandAuthor, _ command: UUID?) {
      (self.request, self.author, self.command) = (request, author, command)
      note = CommandNote(request, by: author, command: command)
    }
  }

  /// - Returns: Nil: the answer comes later.
  /// - Throws: `JobFailure`, which is the answer then.
  private func carryOut(_ given: Given, _ address: AnswerAddress) async throws -> (any Answer)? {
    let (author, command, note) = (given.author, given.command, given.note)
    switch given.request {
    case .cancel(let selection): return try await change(.cancel, selection, given)
    case .replay(let selection): return try await change(.replay, selection, given)
    case .drop(let selection): return try await change(.drop, selection, given)
    case .acceptRestored(let selection): return try await begin(.acceptRestored, selection, given)
    case .dropRestored(let selection): return try await begin(.dropRestored, selection, given)
    case .reset: return try await begin(.reset, JobSelection(), given)
    case .pause(let department): return try await setPaused(department, true, given)
    case .resume(let department): return try await setPaused(department, false, given)
    case .resize(let order):
      try await check(order.department)
      return try await bookkeeper.resize(order, noting: note).get()
    case .rerank(let order): return try await bookkeeper.rerank(order, address, noting: note)?.get()
    case .freeKey(let order):
      return try await bookkeeper.freeKey(order.kind, order.key, command: command, noting: note)
    case .resetKeys(let order):
      let operation = try await bookkeeper.resetKeys(
        order.kind, order.key, by: author, command: command, noting: note)
      return try begun(operation, .resetKeys, kind: order.kind, key: order.key)
    case .drainWorker(let order):
      return try await bookkeeper.drainWorker(order, at: await bookkeeper.monotonic, noting: note).get()
    case .stopPlan(let order):
      let stop = try await bookkeeper.stopPlan(order, by: author, command: command, noting: note).get()
      guard (stop.plan, stop.gates) == (order.plan, order.gates) else { throw JobFailure.commandConflict() }
      return stop
    case .forgetSubscriber(let name): return try await bookkeeper.forgetSubscriber(name, noting: note)
    case .payload(let id): return try await content(of: id, given)
    case .note(let action): return try await bookkeeper.noteAction(action, by: author, command: command)
    }
  }

  private func change(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ given: Given
  ) async throws -> any Answer {
    guard let jobs = selection.jobs else { return try await begin(action, selection, given) }
    return switch action {
    case .replay: try await bookkeeper.replay(jobs, noting: given.note)
    case .drop: try await bookkeeper.drop(jobs, noting: given.note)
    default: try await bookkeeper.cancel(jobs, because: .cancelled(by: given.author.words), noting: given.note)
    }
  }

  private func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ given: Given
  ) async throws -> JobOperation {
    if let department = selection.department, let failure = await bookkeeper.unknownDepartment(department) {
      throw failure
    }
    let operation = try await bookkeeper.begin(
      action, selection, by: given.author, command: given.command, noting: given.note)
    return try begun(
      operation, action, selection.department, kind: selection.kind, narrowing: selection.narrowing)
  }

  /// The operation that a command began, also if it came before by the same id.
  private func begun(
    _ operation: JobOperation?, _ action: OperationRecord.Action, _ department: Department? = nil, kind: JobKind?,
    narrowing: JobNarrowing = JobNarrowing(), key: String? = nil
  ) throws -> JobOperation {
    guard let operation else { throw JobFailure.tooManyOperations() }
    let isSame =
      operation.action.rawValue == action.rawValue && (operation.department, operation.kind) == (department, kind)
      && operation.filter ?? JobNarrowing() == narrowing && operation.key.map { $0.isExactly(key) } ?? (key == nil)
    guard isSame else { throw JobFailure.commandConflict() }
    return operation
  }

  private func setPaused(
    _ department: Department, _ isPaused: Bool, _ given: Given
  ) async throws -> DepartmentPause {
    try await check(department)
    return try await bookkeeper.setPaused(department, isPaused, noting: given.note)
  }

  /// A payload may hold what is not everybody's business: it is logged and recorded who reads it.
  private func content(of job: JobID, _ given: Given) async throws -> JobContent {
    let content = try await bookkeeper.showContent(of: job).get()
    try await bookkeeper.note(given.note)
    let name = given.author.by.map { ", \($0)" } ?? ""
    bookkeeper.logger.notice(
      "a payload is read", metadata: ["job": "\(job)", "user": "\(given.author.user ?? "not named")\(name)"])
    return content
  }

  /// A department that is configured no more has no tellers to command, though it may have jobs.
  private func check(_ department: Department) async throws {
    if let failure = await bookkeeper.configuration.unknownDepartment(department) { throw failure }
  }
}

extension AdminRequest {
  /// What its sender must be allowed to do.
  fileprivate var act: Access.Act {
    if case .payload = self { .readPayload } else { .command }
  }
}

extension JobFailure {
  /// A command has the id of another one, which came before.
  fileprivate static func commandConflict() -> JobFailure {
    JobFailure(
      code: Code.idConflict,
      message: "the id of this command was used for another one before: nothing was done; give it an id of its own")
  }
}
