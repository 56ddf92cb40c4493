import AMQP

/// Some messages that are to be put back, by the exchange that each goes to. Pure.
struct PutBackPortion {
  struct Item {
    let message: RejectedMessage
    let publishing: Publishing
  }

  /// The messages that stay in the queue because of what they are.
  private(set) var kept: [PutBackEnd] = []
  /// The others, in the order of the queue for each exchange. The exchange of the first message comes first.
  private(set) var groups: [(exchange: String, items: [Item])] = []

  init(_ messages: some Sequence<RejectedMessage>, asMine: Bool) {
    for message in messages {
      do throws(PutBackObstacle) {
        add(Item(message: message, publishing: try message.putBack(asMine: asMine)))
      } catch {
        kept.append(PutBackEnd(message: message, obstacle: error))
      }
    }
  }

  private mutating func add(_ item: Item) {
    let exchange = item.publishing.exchange
    guard let group = groups.firstIndex(where: { $0.exchange == exchange }) else {
      return groups.append((exchange, [item]))
    }
    groups[group].items.append(item)
  }
}

/// The ends of messages so far. Pure.
struct PutBackTally {
  private let count: Int
  private(set) var ends: [PutBackEnd] = []

  init(of count: Int) { self.count = count }

  /// Takes in further ends, and gives them to be told.
  mutating func note(_ more: [PutBackEnd]) -> [PutBackEnd] {
    ends += more
    return more
  }

  /// What is said when no more can be done. `unsure`: how many messages the broker had in its hands then.
  func stopped(_ cause: AMQPError, unsure: Int) -> PutBackStopped {
    let putBack = ends.count { $0.obstacle == nil }
    return PutBackStopped(cause: cause, putBack: putBack, left: count - putBack, unsure: unsure)
  }
}
