import AMQP
package import Foundation
package import JobModel
package import JobTransport

/// Questions and commands to a coordinator.
extension ClientCore {
  /// Asks a coordinator, and reads its answer. The limit is for the answer; nil: `timeouts.request`. `patience`: how long the
  /// caller waits in all, as an error is to say it; nil: the limit.
  func ask<Document: Answer>(
    _ request: Request, within limit: Duration? = nil, patience: Duration? = nil
  ) async throws -> Document {
    try await ask(about: request.job, on: lines.asking, within: limit, patience: patience) {
      RequestCodec.encode(request, address: $0, expiration: $1)
    }
  }

  /// Gives a coordinator an operator's command, and reads its answer. A command whose answer was lost is given again: the
  /// coordinator knows the command by its id, and carries it out once. The limit is for the answer; nil: `timeouts.request`.
  /// `command`: the id; a new one unless the caller may give the same command again, too. `by`: who gives it, to be recorded.
  func command<Document: Answer>(
    _ request: AdminRequest, within limit: Duration? = nil, command: UUID = UUID(), by: OperatorName? = nil
  ) async throws -> Document {
    // The coordinator would say the same, later.
    if let problem = request.problem { throw TellerError.invalid(reason: problem) }
    return try await ask(about: request.job, on: lines.commanding, within: limit) {
      AdminCodec.encode(request, address: $0, expiration: $1, command: command, by: by)
    }
  }

  /// When the coordinator does not know the one job that it is asked about, the error has a case of its own.
  private func ask<Document: Answer>(
    about job: JobID?, on line: ClientLine, within limit: Duration?, patience: Duration? = nil,
    _ message: @escaping @Sendable (AnswerAddress, Duration) -> Publishing
  ) async throws -> Document {
    let limit = limit ?? timeouts.request
    let obstacle = obstacle(on: line, waited: patience ?? limit)
    let delivery = try await ask(on: line, within: limit, obstacle, message)
    do {
      return try AnswerCodec.decode(Document.self, from: delivery)
    } catch {
      switch error {
      case .refused(let failure):
        if let job, failure.code == JobFailure.Code.notFound { throw TellerError.unknownJob(job) }
        throw TellerError.refused(failure)
      case .unreadable(let reason): throw TellerError.notUnderstood(reason: reason)
      }
    }
  }

  /// Asks a coordinator and waits for the answer; asks again when the connection is lost meanwhile.
  ///
  /// - Parameters:
  ///   - line: where to send the question.
  ///   - limit: how long to try and wait, all in all.
  ///   - obstacle: what keeps the question from being answered.
  ///   - question: makes the message, of the address for the answer, and of the time that is left.
  /// - Returns: the answer's delivery.
  /// - Throws: a `TellerError` with the last obstacle, or `CancellationError`.
  private func ask(
    on line: ClientLine, within limit: Duration, _ obstacle: Obstacle,
    _ question: @escaping @Sendable (AnswerAddress, _ left: Duration) -> Publishing
  ) async throws -> Delivery {
    let deadline = ContinuousClock.now + limit
    return try await JobModel.within(limit, orThrow: obstacle.error) {
      var backOff = BackOff.resending
      while true {
        do {
          if let answer = try await self.askOnce(question, on: line, until: deadline, obstacle) { return answer }
        } catch let error as AMQPError {
          try obstacle.met(error)
        } catch is OpenQuestions.Interrupted {
          // The next round waits for the next connection.
        }
        try await Task.sleep(for: backOff.next())
      }
    }
  }

  /// - Returns: nil when the broker refused the message: too many questions wait in the queue.
  private func askOnce(
    _ question: @Sendable (AnswerAddress, Duration) -> Publishing, on line: ClientLine,
    until deadline: ContinuousClock.Instant, _ obstacle: Obstacle
  ) async throws -> Delivery? {
    let link = try await links.current
    let connection = try await line.connection(to: link.node)
    let (id, answer) = questions.begin()
    defer { questions.end(id) }
    // A question that begins after the loss of the connection would never be interrupted.
    guard links.present?.number == link.number else { throw OpenQuestions.Interrupted() }
    let address = AnswerAddress(replyTo: replyQueue, correlationID: id)
    let message = question(address, ContinuousClock.now.duration(to: deadline))
    let result = try await connection.publish(cancellable: [message]).first
    try obstacle.met(result)
    guard result == .confirmed else { return nil }
    obstacle.met(.noCoordinator(silentFor: obstacle.waited))
    return try await answer.value
  }
}

extension TellerClient {
  /// Gives a coordinator an operator's command by an id of the caller's. The coordinator carries it out once, however often
  /// it comes: by this client, or by another process with the same id. `by`: who gives the command, to be recorded.
  package func carryOut<Document: Answer>(
    _ request: AdminRequest, command: UUID, by: OperatorName? = nil
  ) async throws -> Document {
    try await core.command(request, command: command, by: by)
  }
}

extension Request {
  /// The one job that the question is about.
  fileprivate var job: JobID? {
    switch self {
    case .show(let id), .explain(let id): id
    case .status, .board, .jobs, .failures, .count, .wait, .report, .operation, .workers, .schedules, .keys, .key,
      .actions, .plans,
      .plan, .events, .event, .subscriber, .subscribers, .keepPlace:
      nil
    }
  }
}

extension AdminRequest {
  /// The one job that the command is about.
  fileprivate var job: JobID? {
    switch self {
    case .rerank(let order): order.job
    case .payload(let id): id
    default: nil
    }
  }
}
