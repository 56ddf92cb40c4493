import Bookkeeping
import JobModel
import JobTransport
import Ledger

// A stream that does not answer when a session begins keeps nobody from serving: it is asked until it does. Before that the
// session publishes nothing there.
extension CoordinatorNode {
  /// Whether the stream leaves the question of this session without an answer for a while.
  var isStreamLate: Bool { !world.isHealed && world.chance(world.isRolledBack ? 50 : 3) }

  /// How long such a stream takes, in milliseconds: less than it takes until all is quiet.
  private static let lateness = 100...3_000

  /// Asks the stream whether the ledger is behind it. `own`: where the ledger stood when the session began.
  func askStream(from own: NotificationPosition) {
    let session = session
    after(.milliseconds(world.number(CoordinatorNode.lateness)), "hears from the stream") { [self] in
      guard session == self.session, phase == .serving else { return }
      world.sometimes.note(.lateStream)
      let end = streamEnd(of: try books.ledger.id)
      let isBehind = try withBooks { try $0.isBehind(streamAt: end, from: own) }
      if isBehind { return try endSession("the ledger was rolled back") }
      isStreamUnknown = false
      follow()
    }
  }
}

/// What the stream has at each place, as somebody has seen who follows it.
struct StreamPlaces {
  private struct Place: Hashable {
    let ledger: LedgerID
    let epoch: Int
    let seq: Int64
  }

  private var seen: [Place: (event: String, at: Duration)] = [:]

  /// Whoever keeps a place finds the same event there for good, also when the ledger was rolled back meanwhile.
  ///
  /// - Parameters:
  ///   - batch: What came out of the stream.
  ///   - now: When.
  ///   - restored: When the ledger was rolled back; what was seen later may have been on its way then.
  /// - Returns: A place that has another event now; nil: there is none.
  mutating func note(_ batch: NotificationBatch, at now: Duration, restored: Duration?) -> String? {
    var wrong: String?
    for notification in batch.notifications {
      guard let seq = notification.seq else { continue }
      let place = Place(ledger: batch.ledger, epoch: batch.epoch, seq: seq)
      let event = "\(notification.event) of \(notification.job.map { "\($0)" } ?? "nothing")"
      guard let known = seen[place] else {
        seen[place] = (event, now)
        continue
      }
      if known.event != event, restored.map({ known.at < $0 }) ?? true {
        wrong = "place \(batch.epoch)/\(seq) of the stream had \(known.event), and has \(event)"
      }
    }
    return wrong
  }
}
