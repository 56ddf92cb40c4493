import NIOCore
import Synchronization

/// The connections that there are. Whoever holds many of them open and asks nothing must not keep those waiting who ask.
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

  /// A further one. When there are too many, the oldest that has asked nothing is closed, or the oldest of all.
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

  /// It has asked something.
  func asked(_ channel: any Channel) {
    guests.withLock { guests in
      if let index = guests.firstIndex(where: { $0.channel === channel }) { guests[index].hasAsked = true }
    }
  }

  /// It is closed.
  func leave(_ channel: any Channel) {
    guests.withLock { guests in guests.removeAll { $0.channel === channel } }
  }
}
