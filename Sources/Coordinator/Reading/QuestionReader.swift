import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Answers what anyone may ask: from the memory, or from the ledger through a reader of its own, so that no question
/// delays the flow.
struct QuestionReader {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let consumer: Consumer
  let outbox: Outbox

  /// The most questions that are being answered at once: one that reads much does not keep the others waiting.
  static let limit = 8

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let delivery = await consumer.nextBatch(atMost: 1)?.first {
        if underWay == QuestionReader.limit {
          try await group.next()
          underWay -= 1
        }
        group.addTask { try await answer(delivery) }
        underWay += 1
      }
      try await group.waitForAll()
    }
  }

  private func answer(_ delivery: Delivery) async throws {
    // Others are answered at the same time: the end of one shows nothing of the others.
    bookkeeper.board.begin(HealthPart.requests, turn: delivery.deliveryTag)
    defer { bookkeeper.board.end(HealthPart.requests, turn: delivery.deliveryTag) }
    switch RequestCodec.decode(delivery) {
    case .asked(let request, let address):
      if let failure = await bookkeeper.refusal(of: .ask, by: delivery.properties.userID) {
        try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
      } else if let answer = try await answerOrExcuse(request, address) {
        // It may tell of a turn that is not safe yet.
        try await bookkeeper.waitUntilSafe()
        try await connections.publishing.publish(answer)
      }
    case .refused(let failure, let address):
      try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
    case .unanswerable(let reason):
      await bookkeeper.noteRefusal(.request, reason)
    }
    try await connections.consuming.ack(delivery.deliveryTag)
  }

  /// A question that the ledger cannot answer is told so; it is no reason to stop the flow.
  private func answerOrExcuse(_ request: Request, _ address: AnswerAddress) async throws -> TransientPublishing? {
    do {
      return try await answer(request, address)
    } catch let error as LedgerError {
      try Task.checkCancellation()
      bookkeeper.logger.error("question not answered", metadata: ["reason": "\(error)"])
      return AnswerCodec.encode(JobFailure(code: "internal", message: "\(error)"), to: address)
    }
  }

  /// Nil: the answer comes later.
  private func answer(_ request: Request, _ address: AnswerAddress) async throws -> TransientPublishing? {
    switch request {
    case .status:
      return AnswerCodec.encode(
        try await bookkeeper.status(broker: session.state, at: SessionClock.now), to: address)
    case .jobs(let query):
      let document = try await bookkeeper.listJobs(query)
      let isNothing = document.jobs.isEmpty && document.next == nil && query.before == nil
      if isNothing, let failure = misspelt(query.department) { return AnswerCodec.encode(failure, to: address) }
      return AnswerCodec.encode(document, to: address)
    case .show(let id):
      guard let job = try await bookkeeper.showJob(id) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(job, to: address)
    case .wait(let query):
      await outbox.waitForRoom()
      let failure = try await bookkeeper.beginWaiting(query, address, at: SessionClock.now)
      return failure.map { AnswerCodec.encode($0, to: address) }
    case .explain(let id):
      guard let document = try await bookkeeper.explain(id) else {
        return AnswerCodec.encode(JobFailure.jobNotFound(id), to: address)
      }
      return AnswerCodec.encode(document, to: address)
    case .report(let query):
      let document = try await bookkeeper.reportTotals(query)
      if document.lines.isEmpty, let failure = try await unknown(in: query) {
        return AnswerCodec.encode(failure, to: address)
      }
      return AnswerCodec.encode(document, to: address)
    case .operation(let id):
      guard let document = try await bookkeeper.operationDocument(id) else {
        return AnswerCodec.encode(.operationNotFound(id), to: address)
      }
      return AnswerCodec.encode(document, to: address)
    }
  }

  /// Why nothing is found of a department. One that is configured no more may still have jobs: only an empty answer is
  /// doubted.
  private func misspelt(_ department: Department?) -> JobFailure? {
    department.flatMap(bookkeeper.configuration.unknownDepartment)
  }

  /// The same of what a report is about.
  private func unknown(in query: ReportQuery) async throws -> JobFailure? {
    if let failure = misspelt(query.department) { return failure }
    guard let plan = query.plan else { return nil }
    return try await bookkeeper.ledger.read { try $0.plan(plan) } == nil ? .planNotFound(plan) : nil
  }
}

extension JobFailure {
  fileprivate static func planNotFound(_ id: JobID) -> JobFailure {
    JobFailure(
      code: "not_found", message: "the ledger has no plan \(id): correct the id; plans that ended long ago are removed")
  }

  fileprivate static func operationNotFound(_ id: Int64) -> JobFailure {
    JobFailure(
      code: "not_found", message: "the ledger has no operation \(id); operations that ended long ago are removed")
  }
}
