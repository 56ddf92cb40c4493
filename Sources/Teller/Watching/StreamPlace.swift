import AMQP
import Foundation
import JobModel
import JobTransport

/// A message of the notification stream that a watch has read, or that its caller names: the watch goes on from there. A
/// pure value.
struct StreamPlace: Hashable, Sendable {
  /// The message's offset in the stream.
  var offset: Int64
  /// An event of the message; nil: the message has none.
  var event: EventPosition?

  init(offset: Int64, event: EventPosition?) { (self.offset, self.event) = (offset, event) }

  /// The place of an event; nil: its place in the stream is not known.
  init?(of event: EventPosition) {
    guard let offset = event.offset else { return nil }
    self.init(offset: offset, event: event)
  }

  /// Whether the stream still has the place: the first message that the broker sends is the one of that place. The broker
  /// begins elsewhere, and says nothing, when the stream no longer reaches back so far, or is another stream.
  func isFound(in message: NotificationMessage) -> Bool {
    guard case .recorded(let batch, let offset?) = message, offset == self.offset else { return false }
    guard let event else { return true }
    return batch.epoch == event.epoch && batch.notifications.contains { $0.seq == event.sequence }
  }

  /// How far the clocks of the broker and of the coordinator may be apart: the broker finds a moment by its own clock.
  static let clockDifference: TimeInterval = 900

  /// Where the stream is read from when no place in it is known: so that no event of the moment is missed.
  static func begin(of start: EventStart) -> FieldValue {
    guard case .at(let date) = start else { return "first" }
    let moment = Timestamp(date) - .seconds(Int64(clockDifference))
    return .timestamp(UInt64(max(0, moment.milliseconds / 1_000)))
  }
}

extension [JobEvent] {
  /// Leaves out those before a moment, up to the first one that is not: then there is no such moment any more.
  func since(_ moment: inout Date?) -> [JobEvent] {
    guard let begin = moment else { return self }
    let rest = drop { $0.at < begin }
    if !rest.isEmpty { moment = nil }
    return Array(rest)
  }
}
