import AMQP
import JobModel
import JobTransport

/// One pair of connections of a worker, from its opening to its loss, with the signals of the tasks that serve it.
struct WorkerLink: Sendable {
  /// Counts the worker's pairs.
  let session: Int
  let consuming: Connection
  let publishing: Connection
  /// Called once the broker has granted every declaration and every consumer.
  let ready: @Sendable () -> Void
  /// Opens one more connection, for a request that the broker may refuse.
  let openForTrial: @Sendable () async throws(AMQPError) -> Connection
  /// Control messages and assignments together, in the order of the wire: a probe finds the deliveries before it.
  let inbox = DeliveryInbox()
  /// A presence is due.
  let presenceDue = WorkerSignal()
  /// The outbox has something to publish.
  let reportsDue = WorkerSignal()
  /// Runs have come further.
  let progressDue = WorkerSignal()
  /// The departments' consumers may have to change.
  let staffingDue = WorkerSignal()

  /// The tag of the consumer of control messages.
  static let controlTag = "control"
  /// How many control messages may be un-acked; each is acked as soon as it is read.
  static let controlPrefetch: UInt16 = 256
  /// How many deliveries are handled before their acks go out.
  static let readLimit = 256

  /// The tag of one of a department's consumers.
  static func tag(of department: Department, number: Int) -> String { "department.\(department).\(number)" }
}

/// The tags of handled deliveries, by what the broker is to do with them.
struct Acknowledgements: Hashable, Sendable {
  var acks: [UInt64] = []
  /// The deliveries that go back into the queue, for another teller.
  var returns: [UInt64] = []
  /// The deliveries that are dropped, since no worker can read them.
  var rejects: [UInt64] = []

  /// Tells the broker, on the connection of the deliveries.
  func send(on connection: Connection) async throws {
    if !acks.isEmpty { try await connection.ack(contentsOf: acks) }
    for tag in returns { try await connection.nack(tag, requeue: true) }
    for tag in rejects { try await connection.nack(tag, requeue: false) }
  }
}
