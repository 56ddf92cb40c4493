import AMQP
import JobModel

/// A message of several submissions, and the parts of it that are the same for all of them.
final class SharedPack: Sendable {
  let delivery: Delivery
  let body: [UInt8]
  /// The headers of every submission: without those that parking added.
  let headers: FieldTable
  /// Trace and own headers of every submission; nil: they are refused, submission by submission.
  let content: JobContent?
  /// The address of every submission that wants an answer; nil: there is none, or none that is allowed.
  let replyTo: String?

  init(_ delivery: Delivery, _ body: [UInt8]) {
    (self.delivery, self.body) = (delivery, body)
    headers = delivery.properties.headers.filter { !$0.key.hasPrefix(Header.prefix) }
    let shared = MessageProperties(headers: headers)
    let own = ContentHeaders.own(shared)
    content =
      SubmittedHeaders.problem(of: own) == nil ? JobContent(trace: ContentHeaders.trace(shared), headers: own) : nil
    replyTo = delivery.properties.replyTo.flatMap { ReplyAddress.isAllowed($0) ? $0 : nil }
  }

  /// The message that the submission at this place is alone.
  func message(at position: Int) -> Delivery {
    var cursor = PackCursor(body, from: position)
    // A submission was read there.
    return (try? PackedMessage(self).read(&cursor)) ?? delivery
  }
}
