package import AMQP
import JobModel

/// Why a message of `teller.rejected` cannot be put back.
package enum PutBackObstacle: Error, Hashable, Sendable {
  /// Only a part of the body was kept.
  case bodyIsCut(kept: Int, size: Int64)
  /// Some of the properties could not be read, and were not kept.
  case propertiesAreLost(String)
  /// It does not say that it came from a queue of Teller.
  case unknownOrigin(String?)
  /// The coordinator refused it because of its sender: nil when it names none.
  case notAllowed(user: String?)
  /// The broker does not let this user publish there.
  case notPermitted(exchange: String, user: String)
  /// The broker has no room for the message now.
  case queueIsFull(String)
  /// The broker does not take this message, such as one that is too large by now. Its words.
  case notTaken(String)
  /// No queue takes the message: no coordinator has declared it.
  case noQueue(String)
}

extension PutBackObstacle: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bodyIsCut(let kept, let size):
      "only \(kept) of the body's \(size) bytes were kept; the sender has to submit it again"
    case .propertiesAreLost(let problem):
      "not all of its properties were kept (\(Excerpt.quoted(problem))); the sender has to submit it again"
    case .unknownOrigin(nil): "it does not say which queue it came from; it was not parked by a coordinator"
    case .unknownOrigin(let queue?): "messages of \(Excerpt.quoted(queue)) cannot be put back"
    case .notAllowed(let user):
      "\(PutBackObstacle.sender(user)) was not allowed to send it, and putting it back would make its job your own, with "
        + "your rights; if you want that, name the message by its id and add --as-mine"
    case .notPermitted(let exchange, let user):
      "the broker does not let user \(Excerpt.quoted(user)) publish to \(exchange); use a user with that permission"
    case .queueIsFull(let exchange):
      "the queue behind \(exchange) is full; try again when the coordinator has taken messages from it"
    case .notTaken(let text):
      "the broker does not take it: \(Excerpt.quoted(text)); raise that limit of the broker, or have the sender submit less"
    case .noQueue(let exchange): "no queue takes messages of \(exchange): has a coordinator run on this broker?"
    }
  }

  private static func sender(_ user: String?) -> String {
    user.map { "user \(Excerpt.quoted($0))" } ?? "a sender who names no user"
  }
}

/// What became of a message that was to be put back.
package struct PutBackEnd: Sendable {
  package let message: RejectedMessage
  /// Why the message was left in `teller.rejected`; nil: it was put back.
  package let obstacle: PutBackObstacle?
}

/// Putting back ended before all messages had their turn.
package struct PutBackStopped: Error, Sendable {
  /// Why.
  package let cause: AMQPError
  /// How many messages were put back.
  package let putBack: Int
  /// How many messages were not: they are in `teller.rejected`.
  package let left: Int
  /// How many messages may be in both queues: the broker has not said that it has them, or that they were taken off.
  package let unsure: Int
}

extension PutBackStopped: CustomStringConvertible {
  package var description: String {
    let both =
      unsure == 0 ? "" : "; up to \(unsure) may be in both queues: no job runs twice as long as the ledger knows it"
    return "\(cause); \(putBack) put back, \(left) left in \(Topology.Queue.rejected)\(both)"
  }
}
