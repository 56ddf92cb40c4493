import AMQP
import Bookkeeping
import JobModel
import JobTransport

/// Step 2 of the flow: takes submissions in batches, has them recorded, and only then acks them.
struct Intake {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  /// The most messages that are read at once, and no further one in a transaction that has so many submissions.
  static let batchLimit = 256
  /// No further one once their bodies are this many bytes: what is released of them waits in the outbox all at once.
  static let batchBytes = 2 * 1024 * 1024

  func run() async throws { try await run(on: bookkeeper) }

  /// On the bookkeeper's thread: a batch that went from the connection's thread to another one first would be as much
  /// later as the two take to be woken.
  private func run(on bookkeeper: isolated Bookkeeper) async throws {
    while let deliveries = await consumer.nextBatch(atMost: Intake.batchLimit, bytes: Intake.batchBytes) {
      bookkeeper.board.begin(HealthPart.intake)
      defer { bookkeeper.board.end(HealthPart.intake) }
      try await record(deliveries, on: bookkeeper)
      FaultPoint.reached("intake.after-record-before-ack")
      connections.intake.ackSoon(contentsOf: deliveries.map(\.deliveryTag))
    }
  }

  /// Has the submissions of messages recorded, which may be acked then.
  func record(_ deliveries: [Delivery], on bookkeeper: isolated Bookkeeper) async throws {
    var submissions: [ReadSubmission] = []
    // One message at a time: a batch of full packs is tens of megabytes once it is read.
    for delivery in deliveries where !QueueProbe.isProbe(delivery) {
      submissions += await ReadSubmission.all(in: delivery)
      guard submissions.count >= Intake.batchLimit else { continue }
      try await record(submissions, bookkeeper)
      submissions.removeAll(keepingCapacity: true)
    }
    try await record(submissions, bookkeeper)
  }

  private func record(_ submissions: [ReadSubmission], _ bookkeeper: isolated Bookkeeper) async throws {
    if submissions.isEmpty { return }
    await outbox.waitForRoom()
    FaultPoint.reached("intake.before-record")
    let refusals = try bookkeeper.accept(submissions.map(\.incoming))
    try await bookkeeper.waitUntilSafe()
    let parked = refusals.map { refusal in
      ParkedMessage(
        submissions[refusal.index].original, from: Topology.Mail.submissions.rawValue, at: .now(),
        reason: refusal.failure)
    }
    if !parked.isEmpty { try await connections.publishing.park(parked) }
    await bookkeeper.giveWay()
  }
}
