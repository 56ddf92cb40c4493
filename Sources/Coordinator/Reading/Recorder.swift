import AMQP
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Step 6 of the flow: takes reports, claims and fences in the order in which they came, has them recorded, and only
/// then acks them.
struct Recorder {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  /// The most messages that are read at once.
  static let batchLimit = 256
  /// No further one once their bodies are this many bytes: results are told in replies, which wait in the outbox.
  static let batchBytes = 2 * 1024 * 1024

  func run() async throws { try await run(on: bookkeeper) }

  /// On the bookkeeper's thread, as the intake is.
  private func run(on bookkeeper: isolated Bookkeeper) async throws {
    while let deliveries = await consumer.nextBatch(atMost: Recorder.batchLimit, bytes: Recorder.batchBytes) {
      try await record(deliveries, on: bookkeeper, ack: connections.recording.ackSoon(contentsOf:))
    }
  }

  /// Has the reports of messages recorded; `ack` is told those that may be acked then.
  func record(
    _ deliveries: [Delivery], on bookkeeper: isolated Bookkeeper, ack: ([UInt64]) -> Void
  ) async throws {
    let probes = deliveries.filter(QueueProbe.isProbe)
    if !probes.isEmpty { ack(probes.map(\.deliveryTag)) }
    var rest = deliveries.filter { !QueueProbe.isProbe($0) }[...]
    while let portion = Portion(takingFrom: &rest) {
      await outbox.waitForRoom()
      bookkeeper.board.begin(HealthPart.recorder)
      defer { bookkeeper.board.end(HealthPart.recorder) }
      try await record(portion, bookkeeper)
      ack(portion.deliveries.map(\.deliveryTag))
      await bookkeeper.giveWay()
    }
  }

  private func record(_ portion: Portion, _ bookkeeper: isolated Bookkeeper) async throws {
    let messages = bookkeeper.vetted(portion.messages, from: portion.users)
    if bookkeeper.isBehind(messages) { throw AMQPError.ledgerIsBehind }
    FaultPoint.reached("recorder.before-record")
    let refusals = try bookkeeper.record(messages)
    try await bookkeeper.waitUntilSafe()
    FaultPoint.reached("recorder.after-record-before-ack")
    if !refusals.isEmpty { try await connections.publishing.park(portion.parked(refusals)) }
  }
}
