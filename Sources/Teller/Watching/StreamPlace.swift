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
}
