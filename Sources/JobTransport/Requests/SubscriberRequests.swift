package import JobModel

extension SubscriberQuery: QuestionBody {}

/// The body of `subscriber`, and of the command `forget_subscriber`.
struct SubscriberReference: QuestionBody {
  var name: SubscriberName

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name
  }
}

/// The body of `keep_place`: how far a subscriber has come.
package struct PlaceOrder: Hashable, Sendable, QuestionBody {
  package var name: SubscriberName
  private var epoch: Int?
  private var seq: Int64?
  private var offset: Int64?

  /// Keeps a place.
  package init(_ name: SubscriberName, at position: NotificationPosition, offset: Int64?) {
    (self.name, epoch, seq, self.offset) = (name, position.epoch, position.seq, offset)
  }

  /// Keeps the place of the last event, unless a place is kept already.
  package init(_ name: SubscriberName) { self.name = name }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, epoch, seq, offset
  }

  /// The last event that the subscriber has handled, and where the stream has it; nil: none is named.
  package var place: (position: NotificationPosition, offset: Int64?)? {
    guard let epoch, let seq else { return nil }
    return (NotificationPosition(epoch: epoch, seq: seq), offset)
  }

  package var problem: String? {
    if (epoch == nil) != (seq == nil) { return "give epoch and seq, or neither" }
    if offset != nil, seq == nil { return "an offset needs epoch and seq" }
    for (member, value) in [("epoch", epoch.map(Int64.init)), ("seq", seq), ("offset", offset)] {
      if let value, value < 0 { return "\(member) \(value) is below 0" }
    }
    return nil
  }
}

extension SubscriberStatus: AnswerDocument {}
extension ForgottenSubscriber: AnswerDocument {}

extension SubscriberPage: AnswerDocument {
  /// Leaves the last half to the next page.
  package mutating func shorten() -> Bool {
    guard subscribers.leaveLastHalf() else { return false }
    next = subscribers.last?.name
    return true
  }
}

extension JobFailure {
  /// The coordinator keeps no place for that subscriber.
  package static func subscriberNotFound(_ name: SubscriberName) -> JobFailure {
    JobFailure(
      code: Code.notFound,
      message: "no place is kept for a subscriber \"\(name)\": it has not told any yet, or was not seen for a long time"
    )
  }
}
