import AMQP
import Bookkeeping
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// Carries out what operators ask, one command after the other: what is paused and then resumed shall be resumed.
struct CommandReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  func run() async throws {
    while let delivery = await consumer.nextBatch(atMost: 1)?.first {
      bookkeeper.board.begin(HealthPart.admin)
      defer { bookkeeper.board.end(HealthPart.admin) }
      await outbox.waitForRoom()
      switch AdminCodec.decode(delivery) {
      case .asked(let request, let address):
        let answer = try await answer(request, of: delivery, address)
        try await bookkeeper.waitUntilSafe()
        FaultPoint.reached("admin.after-record-before-ack")
        if let answer { try await connections.publishing.publish(answer) }
      case .refused(let failure, let address):
        try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
      case .unanswerable(let reason):
        await bookkeeper.noteRefusal(.command, reason)
      }
      try await connections.consuming.ack(delivery.deliveryTag)
    }
  }

  /// Nil: the answer comes later.
  private func answer(
    _ request: AdminRequest, of delivery: Delivery, _ address: AnswerAddress
  ) async throws -> TransientPublishing? {
    do {
      if let failure = await bookkeeper.refusal(of: request.act, by: delivery.properties.userID) { throw failure }
      let (command, author) = (AdminCodec.command(of: delivery), AdminCodec.author(of: delivery))
      let answer = try await carryOut(request, command, author, address)
      try await bookkeeper.note(request, answer, by: author, command: command)
      note(request, by: author)
      return answer.map { AnswerCodec.encode($0, to: address) }
    } catch let failure as JobFailure {
      return AnswerCodec.encode(failure, to: address)
    }
  }

  /// - Returns: Nil: the answer comes later.
  /// - Throws: `JobFailure`, which is the answer then.
  private func carryOut(
    _ request: AdminRequest, _ command: UUID?, _ author: CommandAuthor, _ address: AnswerAddress
  ) async throws -> (any Answer)? {
    switch request {
    case .cancel(let selection): return try await change(.cancel, selection, command, author)
    case .replay(let selection): return try await change(.replay, selection, command, author)
    case .drop(let selection): return try await change(.drop, selection, command, author)
    case .reset: return try await begin(.reset, JobSelection(), command, author)
    case .pause(let department): return try await setPaused(department, true)
    case .resume(let department): return try await setPaused(department, false)
    case .resize(let order):
      try await check(order.department)
      return try await bookkeeper.resize(order).get()
    case .rerank(let order): return try await bookkeeper.rerank(order, address)?.get()
    case .freeKey(let order):
      let changed = try await bookkeeper.freeKey(order.kind, order.key, command: command)
      return FreedKey(kind: order.kind, key: order.key, wasTaken: changed)
    case .resetKeys(let order):
      let operation = try await bookkeeper.resetKeys(order.kind, order.key, by: author, command: command)
      guard let operation else { throw JobFailure.tooManyOperations() }
      return operation
    case .drainWorker(let order): return try await bookkeeper.drainWorker(order).get()
    case .stopPlan(let order): return try await bookkeeper.stopPlan(order, by: author, command: command).get()
    case .forgetSubscriber(let name): return try await bookkeeper.forgetSubscriber(name)
    case .payload(let id): return try await bookkeeper.showContent(of: id).get()
    }
  }

  private func change(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ command: UUID?, _ author: CommandAuthor
  ) async throws -> any Answer {
    guard let jobs = selection.jobs else {
      if let department = selection.department { try await check(department) }
      return try await begin(action, selection, command, author)
    }
    return switch action {
    case .cancel, .reset, .resetKeys: try await bookkeeper.cancel(jobs, because: .cancelled(by: author.words))
    case .replay: try await bookkeeper.replay(jobs)
    case .drop: try await bookkeeper.drop(jobs)
    }
  }

  private func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ command: UUID?, _ author: CommandAuthor
  ) async throws -> JobOperation {
    guard let operation = try await bookkeeper.begin(action, selection, by: author, command: command) else {
      throw JobFailure.tooManyOperations()
    }
    return operation
  }

  private func setPaused(_ department: Department, _ isPaused: Bool) async throws -> DepartmentPause {
    try await check(department)
    return try await bookkeeper.setPaused(department, isPaused)
  }

  /// Logs who reads a payload: it may hold what is not everybody's business.
  private func note(_ request: AdminRequest, by author: CommandAuthor) {
    guard case .payload(let job) = request else { return }
    let name = author.by.map { ", \($0)" } ?? ""
    bookkeeper.logger.notice(
      "a payload is read", metadata: ["job": "\(job)", "user": "\(author.user ?? "not named")\(name)"])
  }

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
