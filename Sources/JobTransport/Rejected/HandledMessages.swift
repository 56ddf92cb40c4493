package import JobModel
import Synchronization

/// The rejected messages that were put back or dropped so far. They are recorded, also where not all had their turn: the
/// coordinator has no part in what is done to its queue at the broker.
package final class HandledMessages: Sendable {
  /// The most ids in a record: so many fit into a name.
  static let mostNamed = 5

  private let ids = Mutex<[String]>([])

  package init() {}

  /// Takes in messages that were dropped.
  package func add(_ messages: [RejectedMessage]) { ids.withLock { $0 += messages.map(\.id) } }

  /// Takes in those that were put back, without those that stayed.
  package func add(_ ends: [PutBackEnd]) { add(ends.filter { $0.obstacle == nil }.map(\.message)) }

  /// What is to be recorded; nil: nothing was done. `asMine`: the messages may be of users who were not allowed to send them.
  package func note(_ word: ActionNote.Word, asMine: Bool = false) -> ActionNote? {
    let ids = ids.withLock { $0 }
    if ids.isEmpty { return nil }
    let named = ids.prefix(HandledMessages.mostNamed).joined(separator: ", ")
    let more = ids.count > HandledMessages.mostNamed ? " and \(ids.count - HandledMessages.mostNamed) more" : ""
    let count = ids.count == 1 ? "1 message" : "\(ids.count) messages"
    return ActionNote(word, name: named + more, detail: asMine ? "\(count), as mine" : count)
  }
}
