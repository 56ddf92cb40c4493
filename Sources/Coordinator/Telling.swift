import AMQP
import JobModel
import JobTransport

/// Step 3 of the flow, and all else that the coordinator says: takes what has been decided from the outbox, in order,
/// and publishes it. Assignments are pipelined: the next ones leave while the confirms of the last are outstanding.
struct Telling {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let outbox: Outbox

  /// Batches whose confirms may be outstanding at once.
  static let pipelineLimit = 8

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let batch = await outbox.take() {
        for publishing in confirmed(batch) {
          if underWay == Telling.pipelineLimit {
            try await group.next()
            underWay -= 1
          }
          group.addTask(operation: publishing)
          underWay += 1
        }
        for item in batch { try await tell(item) }
        try await bookkeeper.fillMore()
      }
      try await group.waitForAll()
    }
  }

  /// What of a batch the broker has to confirm: its assignments together, and each fence.
  private func confirmed(_ batch: [Outgoing]) -> [@Sendable () async throws -> Void] {
    let assignments = batch.compactMap(\.assignment)
    let fences = batch.compactMap(\.fence).map { number in { @Sendable in try await publish(fence: number) } }
    return assignments.isEmpty ? fences : [{ @Sendable in try await release(assignments) }] + fences
  }

  /// A refused assignment ends the session: the next one declares what is missing, and publishes again what is not known
  /// to be in its queue, to be claimed.
  private func release(_ assignments: [Assignment]) async throws {
    FaultPoint.reached("releaser.before-publish")
    let results = try await connections.publishing.publish(contentsOf: assignments.map(AssignmentCodec.encode))
    FaultPoint.reached("releaser.after-confirm")
    let confirmed = zip(assignments, results).filter { $1 == .confirmed }.map(\.0.release)
    await bookkeeper.confirmed(confirmed)
    guard confirmed.count == assignments.count else { throw AMQPError.connectionLost(reason: "the broker refused assignments") }
  }

  private func publish(fence number: Int) async throws {
    let fence = ReportCodec.encode(.fence(number: number, ledger: bookkeeper.ledger.id))
    guard try await connections.publishing.publish(fence) == .confirmed else {
      throw AMQPError.connectionLost(reason: "the broker refused a fence")
    }
  }

  private func tell(_ item: Outgoing) async throws {
    switch item {
    case .assignment, .fence:
      break
    case .reply(let replyTo, let reply):
      try await connections.publishing.publish(ReplyCodec.encode(reply, to: replyTo))
    case .control(let worker, let message):
      try await connections.publishing.publish(ControlCodec.encode(message, to: worker))
    case .live(let notification):
      try await connections.publishing.publish(NotificationCodec.encode(live: [notification]))
    case .answer(let replyTo, let answer):
      try await connections.publishing.publish(answer.encoded(to: replyTo))
    }
  }
}

extension Outgoing {
  fileprivate var assignment: Assignment? {
    if case .assignment(let assignment) = self { assignment } else { nil }
  }

  fileprivate var fence: Int? {
    if case .fence(let number) = self { number } else { nil }
  }
}
