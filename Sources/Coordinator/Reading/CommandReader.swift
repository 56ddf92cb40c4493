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
      case .asked(_, let address) where try await refuse(delivery, address): break
      case .asked(let request, let address):
        let answer = try await answer(request, AdminCodec.command(of: delivery), address)
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

  /// Whether a command is refused because of who gives it; then it is answered so.
  private func refuse(_ delivery: Delivery, _ address: AnswerAddress) async throws -> Bool {
    guard let failure = await bookkeeper.refusal(of: .command, by: delivery.properties.userID) else { return false }
    try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
    return true
  }

  /// Nil: the answer comes later.
  private func answer(
    _ request: AdminRequest, _ command: UUID?, _ address: AnswerAddress
  ) async throws -> TransientPublishing? {
    switch request {
    case .cancel(let selection): try await change(.cancel, selection, command, address)
    case .replay(let selection): try await change(.replay, selection, command, address)
    case .drop(let selection): try await change(.drop, selection, command, address)
    case .reset: try await begin(.reset, JobSelection(), command, address)
    case .pause(let department): try await setPaused(department, true, address)
    case .resume(let department): try await setPaused(department, false, address)
    case .resize(let order): try await resize(order, address)
    case .rerank(let order): try await rerank(order, address)
    case .freeKey(let order): try await freeKey(order, command, address)
    }
  }

  private func freeKey(
    _ order: KeyOrder, _ command: UUID?, _ address: AnswerAddress
  ) async throws -> TransientPublishing {
    let changed = try await bookkeeper.freeKey(order.kind, order.key, command: command)
    return AnswerCodec.encode(KeyDocument(kind: order.kind, key: order.key, changed: changed), to: address)
  }

  private func change(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ command: UUID?, _ address: AnswerAddress
  ) async throws -> TransientPublishing {
    guard let jobs = selection.jobs else {
      if let department = selection.department, let failure = bookkeeper.configuration.unknownDepartment(department) {
        return AnswerCodec.encode(failure, to: address)
      }
      return try await begin(action, selection, command, address)
    }
    let document =
      switch action {
      case .cancel, .reset: try await bookkeeper.cancel(jobs, because: .cancelled(by: "an operator"))
      case .replay: try await bookkeeper.replay(jobs)
      case .drop: try await bookkeeper.drop(jobs)
      }
    return AnswerCodec.encode(document, to: address)
  }

  private func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, _ command: UUID?, _ address: AnswerAddress
  ) async throws -> TransientPublishing {
    guard let document = try await bookkeeper.begin(action, selection, command: command) else {
      return AnswerCodec.encode(.tooManyOperations(), to: address)
    }
    return AnswerCodec.encode(document, to: address)
  }

  private func setPaused(
    _ department: Department, _ isPaused: Bool, _ address: AnswerAddress
  ) async throws -> TransientPublishing {
    if let failure = bookkeeper.configuration.unknownDepartment(department) {
      return AnswerCodec.encode(failure, to: address)
    }
    return AnswerCodec.encode(try await bookkeeper.setPaused(department, isPaused), to: address)
  }

  private func resize(_ order: ResizeOrder, _ address: AnswerAddress) async throws -> TransientPublishing {
    if let failure = bookkeeper.configuration.unknownDepartment(order.department) {
      return AnswerCodec.encode(failure, to: address)
    }
    switch try await bookkeeper.resize(order) {
    case .success(let document): return AnswerCodec.encode(document, to: address)
    case .failure(let failure): return AnswerCodec.encode(failure, to: address)
    }
  }

  private func rerank(_ order: RerankOrder, _ address: AnswerAddress) async throws -> TransientPublishing? {
    switch try await bookkeeper.rerank(order, address) {
    case .success(let document)?: AnswerCodec.encode(document, to: address)
    case .failure(let failure)?: AnswerCodec.encode(failure, to: address)
    case nil: nil
    }
  }
}
