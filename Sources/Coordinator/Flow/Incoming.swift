import AMQP
import JobModel
import JobTransport

/// A submission, read, with its message in case it has to be parked.
struct Incoming: Sendable {
  let content: IncomingSubmission
  let original: Delivery

  /// Everything that a message from the submission queue holds. A plan's body is parsed, which takes its time: it is read
  /// on another thread than the caller's.
  static func all(in delivery: Delivery, isolation: isolated (any Actor)? = #isolation) async -> [Incoming] {
    SubmissionCodec.isPlan(delivery) ? await readElsewhere(delivery) : read(delivery)
  }

  @concurrent
  private static func readElsewhere(_ delivery: Delivery) async -> [Incoming] { read(delivery) }

  private static func read(_ delivery: Delivery) -> [Incoming] {
    guard let pack = SubmissionCodec.unpack(delivery) else { return [alone(delivery)] }
    guard let (rejection, message) = pack.rejected else { return pack.submissions.map(alone) }
    return pack.submissions.map(alone) + [Incoming(content: .rejected(rejection), original: message)]
  }

  private static func alone(_ delivery: Delivery) -> Incoming {
    Incoming(content: SubmissionCodec.decode(delivery), original: delivery)
  }
}
