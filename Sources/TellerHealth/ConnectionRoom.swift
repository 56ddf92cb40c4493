import NIOCore
import Synchronization

/// The open connections of a server. A client that holds many without a request must not keep others waiting.
final class ConnectionRoom: Sendable {
  private struct Guest: Sendable {
    let channel: any Channel
    /// Whether a whole head of a request has come.
    var hasAsked = false
  }

  private let limit: Int
  /// The oldest first; never more than the limit.
  private let guests = Mutex<[Guest]>([])

  init(_ limit: Int) {
    self.limit = limit
  }

  /// Adds a connection. When there are too many, the oldest without a request is closed, or the oldest of all.
  func enter(_ channel: any Channel) {
    let tooMany = guests.withLock { guests in
      var tooMany: (any Channel)?
      if guests.count >= limit, !guests.isEmpty {
        tooMany = guests.remove(at: guests.firstIndex { !$0.hasAsked } ?? 0).channel
      }
      guests.append(Guest(channel: channel))
      return tooMany
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
