package import AMQP
package import JobModel

/// A submission, read, with the message that it is alone, in case it has to be parked.
package struct UnpackedSubmission: Sendable {
  /// Of most submissions nobody asks for the message: one of a pack is made of the pack then.
  private enum Source: Sendable {
    indirect case message(Delivery)
    case packed(SharedPack, position: Int)
  }

  /// The submission, or the reason why it is rejected.
  package let content: IncomingSubmission
  private let source: Source

  /// Reads a message that is a submission itself.
  package init(_ message: Delivery) { self.init(SubmissionCodec.decode(message, now: .now()), message) }

  /// A submission that has been read of this message.
  package init(_ content: IncomingSubmission, _ message: Delivery) {
    (self.content, source) = (content, .message(message))
  }

  /// A submission that has been read at this place of a pack.
  init(_ content: IncomingSubmission, in pack: SharedPack, at position: Int) {
    (self.content, source) = (content, .packed(pack, position: position))
  }

  /// The message of this submission alone.
  package var message: Delivery {
    switch source {
    case .message(let message): message
    case .packed(let pack, let position): pack.message(at: position)
    }
  }

  /// The user of the broker who sent it; nil: the message names none.
  package var userID: String? {
    switch source {
    case .message(let message): message.properties.userID
    case .packed(let pack, _): pack.delivery.properties.userID
    }
  }

  /// The body was over the connection's limit: nobody has read it.
  package var isUnread: Bool {
    guard case .message(let message) = source, case .overLimit = message.body else { return false }
    return true
  }
}
