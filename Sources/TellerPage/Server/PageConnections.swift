import NIOCore
import Synchronization

/// The open connections of the page. When there are too many, one that has asked nothing yet goes, else the newest one: who
/// looks at the page is not thrown out by those who come later.
final class PageConnections: Sendable {
  private struct Guest: Sendable {
    let channel: any Channel
    /// Whether a whole head of a request has come.
    var hasAsked = false
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
      guard let idle = guests.firstIndex(where: { !$0.hasAsked }) else { return channel }
      guests.append(Guest(channel: channel))
      return guests.remove(at: idle).channel
    }
    tooMany?.close(promise: nil)
  }

  func asked(_ channel: any Channel) {
    guests.withLock { guests in
      if let index = guests.firstIndex(where: { $0.channel === channel }) { guests[index].hasAsked = true }
    }
  }

  func leave(_ channel: any Channel) {
    guests.withLock { guests in guests.removeAll { $0.channel === channel } }
  }
}
