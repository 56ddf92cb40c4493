package import AMQP
package import JobModel

/// A message of the notification stream or of the live relay.
package enum NotificationMessage: Hashable, Sendable {
  /// Recorded: the stream keeps it. `offset` is its place in the stream, if it was read from there.
  case recorded(NotificationBatch, offset: Int64?)
  /// Only relayed to the watches of that moment.
  case live([Notification])
  /// This version does not understand the message; the reason is for people.
  case unreadable(String)
}

/// Notifications as messages of `teller.notifications`: the body is a JSON array of them.
package enum NotificationCodec {
  /// The header of a stream's delivery with its place.
  private static let streamOffset = "x-stream-offset"

  /// The message of a batch. The batch must not be empty, and must have its sequence numbers: the first and the last are
  /// headers.
  package static func encode(_ batch: NotificationBatch) -> Publishing {
    let last = NotificationPosition(epoch: batch.epoch, seq: batch.notifications.last?.seq ?? 0)
    var message = recorded(batch.notifications, of: batch.ledger, epoch: batch.epoch, upTo: last.seq)
    message.properties.headers[Header.first] = .int(batch.notifications.first?.seq ?? 0)
    return message
  }

  /// The message of a marker: an empty batch with the position that its ledger has reached. Watches skip it.
  package static func encode(marker: String, ledger: LedgerID, at position: NotificationPosition) -> Publishing {
    var message = recorded([], of: ledger, epoch: position.epoch, upTo: position.seq)
    message.properties.messageID = marker
    return message
  }

  /// The message of a question where the stream ends: an empty batch without a position. Watches skip it.
  package static func encode(question: String, ledger: LedgerID, epoch: Int) -> Publishing {
    var message = recorded([], of: ledger, epoch: epoch, upTo: nil)
    message.properties.messageID = question
    return message
  }

  private static func recorded(
    _ notifications: [Notification], of ledger: LedgerID, epoch: Int, upTo seq: Int64?
  ) -> Publishing {
    var headers: FieldTable = [Header.ledger: .string(ledger.text), Header.epoch: .int(Int64(epoch))]
    if let seq { headers[Header.last] = .int(seq) }
    return Publishing(
      exchange: Topology.Exchange.notifications, routingKey: Topology.RoutingKey.log,
      properties: MessageProperties(contentType: WireJSON.contentType, headers: headers),
      body: NotificationJSON(notifications).bytes)
  }

  /// The position that this ledger had reached when it published a batch or a marker; nil: the message is of another
  /// ledger, or has no position.
  package static func position(of delivery: Delivery, in ledger: LedgerID) -> NotificationPosition? {
    let headers = delivery.properties.headers
    guard case .recorded(let batch, _) = decode(delivery), batch.ledger == ledger,
      let seq = batch.notifications.last?.seq ?? headers[Header.last]?.int
    else { return nil }
    return NotificationPosition(epoch: batch.epoch, seq: seq)
  }

  /// Its place in the stream; nil: it was not read from there.
  package static func offset(of delivery: Delivery) -> Int64? { delivery.properties.headers[streamOffset]?.int }

  /// Whether it is a question where the stream ends, of whatever ledger.
  package static func isQuestion(_ delivery: Delivery) -> Bool {
    guard case .recorded(let batch, _) = decode(delivery) else { return false }
    return batch.notifications.isEmpty && delivery.properties.headers[Header.last] == nil
  }

  /// The message of notifications that are only relayed.
  package static func encode(live notifications: [Notification]) -> TransientPublishing {
    TransientPublishing(
      exchange: Topology.Exchange.notifications, routingKey: Topology.RoutingKey.live,
      properties: MessageProperties(contentType: WireJSON.contentType), body: NotificationJSON(notifications).bytes)
  }

  /// The message of changes of jobs, which is only relayed to whoever asks for that event. Not empty.
  package static func encode(_ event: LiveEvent, _ notifications: [Notification]) -> TransientPublishing {
    var message = encode(live: notifications)
    message.routingKey = Topology.RoutingKey.live(event)
    return message
  }

  /// The message of a job's progress, which is only relayed to whoever asks for it: a watch of outcomes does not read it.
  package static func encode(progress notification: Notification) -> TransientPublishing {
    var message = encode(live: [notification])
    if let job = notification.job { message.routingKey = Topology.RoutingKey.progress(of: job) }
    return message
  }

  /// Reads a message of `teller.notifications`. Never fails: `unreadable` has the reason. A message that names no ledger and
  /// cannot be read does not come from a coordinator: it is skipped, as an empty one. If it did carry notifications,
  /// their numbers are missing, and the reader notices the gap.
  package static func decode(_ delivery: Delivery) -> NotificationMessage {
    do throws(Unreadable) {
      let notifications = try WireJSON.decode([Notification].self, from: delivery.body)
      return try Envelope.reading(delivery.properties) { headers throws(HeaderProblem) in
        guard headers.has(Header.ledger) else { return .live(notifications) }
        let batch = NotificationBatch(
          ledger: try Envelope.ledger(headers), epoch: try headers.requiredCount(Header.epoch),
          notifications: notifications)
        return .recorded(batch, offset: offset(of: delivery))
      }
    } catch {
      return delivery.properties.headers[Header.ledger] == nil ? .live([]) : .unreadable(error.reason)
    }
  }
}
