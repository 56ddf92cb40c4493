import NIOCore
import Synchronization

/// The open connections of the page. When there are too many, the oldest one that waits for no answer goes, else the newest
/// one: who looks at the page is not thrown out by those who come later, and who holds connections keeps nobody out.
final class PageConnections: Sendable {
  private struct Guest: Sendable {
    let channel: any Channel
    /// How many requests have come whose answers have not been sent.
    var open = 0
  }

  private let limit: Int
  /// The oldest first; never more than the limit.
  private let guests = Mutex<[Guest]>([])

  init(_ limit: Int) { self.limit = limit }

  var count: Int { guests.withLock { $0.count } }

  /// Adds a connection, or closes one.
  func enter(_ channel: any Channel) {
    let tooMany: (any Channel)? = guests.withLock { guests in
      guard guests.count >= limit else {
        guests.append(Guest(channel: channel))
        return nil
      }
      guard let idle = guests.firstIndex(where: { $0.open == 0 }) else { return channel }
      guests.append(Guest(channel: channel))
      return guests.remove(at: idle).channel
    }
    tooMany?.close(promise: nil)
  }

  /// A head of a request has come.
  func asked(_ channel: any Channel) { add(1, channel) }

  /// A whole answer was sent.
  func answered(_ channel: any Channel) { add(-1, channel) }

  private func add(_ count: Int, _ channel: any Channel) {
    guests.withLock { guests in
      if let index = guests.firstIndex(where: { $0.channel === channel }) { guests[index].open += count }
    }
  }

  func leave(_ channel: any Channel) {
    guests.withLock { guests in guests.removeAll { $0.channel === channel } }
  }
}
