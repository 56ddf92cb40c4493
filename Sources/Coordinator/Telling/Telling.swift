import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Ledger

/// Step 3 of the flow, and all else that the coordinator says: takes what has been decided from the outbox, in order,
/// and publishes it. Assignments are pipelined: the next ones leave while the confirms of the last are outstanding.
struct Telling {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let outbox: Outbox

  /// The most fences and waits that may be outstanding at once.
  static let pipelineLimit = 8

  func run() async throws {
    let releaser = Releaser(bookkeeper, connections.publishing, outbox)
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let batch = await outbox.take() {
        bookkeeper.board.begin(HealthPart.telling)
        defer { bookkeeper.board.end(HealthPart.telling) }
        try await make(batch.compactMap(\.queueToMake))
        // First: somebody waits for work.
        try await releaser.publish(batch.compactMap(\.assignment))
        for publishing in pipelined(batch) {
          if underWay == Telling.pipelineLimit {
            try await group.next()
            underWay -= 1
          }
          group.begin {
            do {
              try await publishing()
            } catch {
              // Else nobody would notice before the pipeline is full.
              outbox.abandon()
              throw error
            }
          }
          underWay += 1
        }
        let messages = batch.messages
        if !messages.isEmpty { try await connections.publishing.publish(contentsOf: messages) }
        for queue in batch.compactMap(\.queueToRemove) { try await remove(queue) }
        try await bookkeeper.fillMore()
      }
      try await releaser.settle()
      try await group.waitForAll()
    }
  }

  /// Declares queues of kinds. One that the broker refuses takes out its department. So does one that could not be tried,
  /// until the watch of refused departments has tried it.
  private func make(_ queues: [JobQueue]) async throws {
    if queues.isEmpty { return }
    switch try await QueueTrials(bookkeeper: bookkeeper, connections: connections).outcome(of: queues) {
    case .notMade(let error, let untried, let refusals):
      let reason = "no connection could be opened to declare a queue of it: \(error.cause)"
      for queue in untried { await bookkeeper.refuse(queue.department, because: reason, isSoon: true) }
      await refuse(refusals)
    case .refusals(let refusals): await refuse(refusals)
    }
  }

  private func refuse(_ refusals: [JobQueue: AMQPError]) async {
    for (queue, refusal) in refusals { await bookkeeper.refuse(queue.department, because: refusal.brokersWords) }
  }

  /// What of a batch waits for an answer of the broker or the ledger: each fence, each wait.
  private func pipelined(_ batch: [Outgoing]) -> [@Sendable () async throws -> Void] {
    let fences = batch.compactMap(\.fence).map { number in { @Sendable in try await publish(fence: number) } }
    let polls = batch.compactMap(\.polled).map { poll in { @Sendable in try await answer(poll) } }
    let keyPolls = batch.compactMap(\.keyPolled).map { poll in { @Sendable in try await answer(poll) } }
    return fences + polls + keyPolls
  }

  private func answer(_ poll: LongPolls.Poll) async throws {
    try await answer(poll.address) { try await bookkeeper.document(of: poll) }
  }

  private func answer(_ poll: KeyPolls.Poll) async throws {
    try await answer(poll.address) { try await bookkeeper.keyStatus(poll.key) }
  }

  private func answer(_ address: AnswerAddress, _ document: () async throws -> some Answer) async throws {
    do {
      let answer = AnswerCodec.encode(try await document(), to: address)
      try await bookkeeper.waitUntilSafe()
      try await connections.publishing.publish(answer)
    } catch let error as LedgerError {
      try Task.checkCancellation()
      let failure = JobFailure(code: JobFailure.Code.internalError, message: "\(error)")
      try await connections.publishing.publish(AnswerCodec.encode(failure, to: address))
    }
  }

  private func remove(_ queue: JobQueue) async throws {
    try await connections.publishing.delete(queue: Topology.Queue.assignments(queue))
    try await bookkeeper.kindQueueIsGone(queue)
  }

  private func publish(fence number: Int) async throws {
    let fence = ReportCodec.encode(fence: number, ledger: bookkeeper.ledger.id)
    guard try await connections.publishing.publish(fence) == .confirmed else {
      throw AMQPError.connectionLost(reason: "the broker refused a fence")
    }
  }
}

extension Outgoing {
  fileprivate var assignment: Assignment? {
    if case .assignment(let assignment) = self { assignment } else { nil }
  }

  fileprivate var polled: LongPolls.Poll? {
    if case .polled(let poll) = self { poll } else { nil }
  }

  fileprivate var keyPolled: KeyPolls.Poll? {
    if case .keyPolled(let poll) = self { poll } else { nil }
  }

  fileprivate var queueToMake: JobQueue? {
    if case .makeQueue(let queue) = self { queue } else { nil }
  }

  fileprivate var queueToRemove: JobQueue? {
    if case .removeQueue(let queue) = self { queue } else { nil }
  }

  fileprivate var fence: Int? {
    if case .fence(let number) = self { number } else { nil }
  }
}
