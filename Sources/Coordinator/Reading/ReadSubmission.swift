import AMQP
import Bookkeeping
import JobModel
import JobTransport

/// A submission, read, with its message in case it has to be parked.
struct ReadSubmission: Sendable {
  let incoming: Incoming
  let original: Delivery

  /// Everything that a message from the submission queue holds. A plan's body is parsed, which takes its time: it is
  /// read on another thread than the caller's.
  static func all(in delivery: Delivery, isolation: isolated (any Actor)? = #isolation) async -> [ReadSubmission] {
    SubmissionCodec.isPlan(delivery) ? await readElsewhere(delivery) : read(delivery)
  }

  @concurrent
  private static func readElsewhere(_ delivery: Delivery) async -> [ReadSubmission] { read(delivery) }

  private static func read(_ delivery: Delivery) -> [ReadSubmission] {
    guard let pack = SubmissionCodec.unpack(delivery) else { return [alone(delivery)] }
    guard let (rejection, message) = pack.rejected else { return pack.submissions.map(alone) }
    return pack.submissions.map(alone) + [ReadSubmission(.rejected(rejection), message)]
  }

  private static func alone(_ delivery: Delivery) -> ReadSubmission {
    ReadSubmission(SubmissionCodec.decode(delivery), delivery)
  }

  private init(_ content: IncomingSubmission, _ original: Delivery) {
    let isUnread = if case .overLimit = original.body { true } else { false }
    incoming = Incoming(content, from: original.properties.userID, isUnread: isUnread)
    self.original = original
  }
}
