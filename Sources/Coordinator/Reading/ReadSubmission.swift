package import AMQP
package import Bookkeeping
import JobModel
import JobTransport

/// A submission, read, with its message in case it has to be parked.
package struct ReadSubmission: Sendable {
  private let unpacked: UnpackedSubmission

  /// Everything that a message from the submission queue holds. A plan's body is parsed, which takes its time: it is
  /// read on another thread than the caller's.
  static func all(in delivery: Delivery, isolation: isolated (any Actor)? = #isolation) async -> [ReadSubmission] {
    SubmissionCodec.isPlan(delivery) ? await readElsewhere(delivery) : read(delivery)
  }

  @concurrent
  private static func readElsewhere(_ delivery: Delivery) async -> [ReadSubmission] { read(delivery) }

  /// The same, on this thread.
  package static func read(_ delivery: Delivery) -> [ReadSubmission] {
    guard let pack = SubmissionCodec.unpack(delivery) else { return [ReadSubmission(UnpackedSubmission(delivery))] }
    return (pack.submissions + [pack.rejected].compactMap(\.self)).map(ReadSubmission.init)
  }

  private init(_ unpacked: UnpackedSubmission) { self.unpacked = unpacked }

  package var incoming: Incoming { Incoming(unpacked.content, from: unpacked.userID, isUnread: unpacked.isUnread) }

  /// The message of this submission alone.
  var original: Delivery { unpacked.message }
}
