import Decisions
package import JobModel
package import JobTransport
package import Ledger
import Logging

/// Subscribers that keep their places by name. Nothing is held back for them.
extension Bookkeeper {
  /// The place of a subscriber; nil: none is kept.
  package func subscriber(_ name: SubscriberName) async throws(LedgerError) -> SubscriberStatus? {
    let clock = parts.time.clock
    let read = try await ledger.read { (record: try $0.subscriber(name), last: try $0.lastNotification()) }
    return read.record.map { SubscriberStatus($0, last: read.last, by: clock) }
  }

  /// The next subscribers by name.
  package func listSubscribers(_ query: SubscriberQuery) async throws(LedgerError) -> SubscriberPage {
    let clock = parts.time.clock
    let read = try await ledger.read { queries in
      (records: try queries.subscribers(after: query.after, limit: query.limit), last: try queries.lastNotification())
    }
    let statuses = read.records.map { SubscriberStatus($0, last: read.last, by: clock) }
    return SubscriberPage(
      subscribers: statuses, next: statuses.count == query.limit ? statuses.last?.name : nil)
  }

  /// Keeps the place of a subscriber, and that it was seen. The place never goes back.
  ///
  /// - Returns: The place that is kept, which may be further; a failure for a place that there is not, and where too many
  ///   subscribers keep theirs.
  package func keepPlace(_ order: PlaceOrder) throws(LedgerError) -> Result<SubscriberStatus, JobFailure> {
    let (clock, now) = (parts.time.clock, parts.time.now)
    return try record { ledger in
      let last = try ledger.lastNotification()
      let place = order.place ?? (last, nil)
      if place.position > last { return .failure(.notRecorded(place.position, last: last)) }
      var record = SubscriberRecord(name: order.name, position: place.position, offset: place.offset, seenAt: now)
      if let known = try ledger.subscriber(order.name) {
        record = record.further(than: known, isTold: order.place != nil)
      } else if try ledger.subscriberCount() >= SubscriberStatus.most {
        return .failure(.tooManySubscribers())
      }
      try ledger.keepPlace(record)
      return .success(SubscriberStatus(record, last: last, by: clock))
    }
  }

  /// Keeps the place of a subscriber no more.
  package func forgetSubscriber(
    _ name: SubscriberName, noting note: CommandNote? = nil
  ) throws(LedgerError) -> ForgottenSubscriber {
    let forgotten = try record { ledger in
      let forgotten = ForgottenSubscriber(name: name, wasKept: try ledger.forgetSubscriber(name))
      try note?.record(forgotten, at: parts.time.now, ledger)
      return forgotten
    }
    if forgotten.wasKept { logger.notice("a subscriber is forgotten", metadata: ["name": "\(name)"]) }
    return forgotten
  }
}

extension SubscriberRecord {
  /// The further one of two places of a subscriber. `isTold`: false for a subscriber that tells no place of its own: then
  /// the known one stays.
  fileprivate func further(than known: SubscriberRecord, isTold: Bool) -> SubscriberRecord {
    var record = isTold && position >= known.position ? self : known
    if record.offset == nil, record.position == known.position { record.offset = known.offset }
    record.seenAt = max(seenAt, known.seenAt)
    return record
  }
}

extension SubscriberStatus {
  fileprivate init(_ record: SubscriberRecord, last: NotificationPosition, by clock: LedgerClock) {
    self.init(
      name: record.name, epoch: record.position.epoch, sequence: record.position.seq, offset: record.offset,
      behind: record.position.epoch == last.epoch ? max(0, last.seq - record.position.seq) : nil,
      seen: clock.wallTime(of: record.seenAt))
  }
}

extension JobFailure {
  fileprivate static func notRecorded(_ place: NotificationPosition, last: NotificationPosition) -> JobFailure {
    JobFailure(
      code: Code.badRequest,
      message: "there is no event \(place.epoch)/\(place.seq) yet: the last one is \(last.epoch)/\(last.seq)")
  }

  fileprivate static func tooManySubscribers() -> JobFailure {
    JobFailure(
      code: Code.tooManySubscribers,
      message: "\(SubscriberStatus.most) subscribers keep their places already: `teller subscribers` lists them, "
        + "`teller subscribers forget NAME` makes room")
  }
}
