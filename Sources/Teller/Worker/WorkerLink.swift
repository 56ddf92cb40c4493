import AMQP
import JobModel
import JobTransport

/// One pair of connections of a worker, from connecting to its loss, and what its parts tell each other.
struct WorkerLink: Sendable {
  /// Counts the worker's connections.
  let session: Int
  let consuming: Connection
  let publishing: Connection
  /// Everything that the worker declares and consumes was granted.
  let ready: @Sendable () -> Void
  /// Control messages and assignments together, in the order of the wire: what a probe finds depends on it.
  let inbox = DeliveryInbox()
  /// A presence is due.
  let presenceDue = WorkerSignal()
  /// The outbox has something to publish.
  let reportsDue = WorkerSignal()
  /// The departments' consumers are to be made or cancelled.
  let staffingDue = WorkerSignal()

  /// The tag of the consumer of control messages.
  static let controlTag = "control"
  /// How many control messages may be under way un-acked; each is acked as soon as it is read.
  static let controlPrefetch: UInt16 = 256
  /// How many deliveries are handled at once, before their acks go out.
  static let readLimit = 256

  /// The tag of a department's consumer, one of several.
  static func tag(of department: Department, number: Int) -> String { "department.\(department).\(number)" }
}

/// What is to be told the broker of deliveries that were just handled.
struct Settlements: Hashable, Sendable {
  var acks: [UInt64] = []
  /// Back into the queue, for another teller.
  var returns: [UInt64] = []
  /// Dropped: nobody can read them.
  var rejects: [UInt64] = []

  /// Carries them out on the connection of the deliveries.
  func settle(on connection: Connection) async throws {
    if !acks.isEmpty { try await connection.ack(contentsOf: acks) }
    for tag in returns { try await connection.nack(tag, requeue: true) }
    for tag in rejects { try await connection.reject(tag, requeue: false) }
  }
}
