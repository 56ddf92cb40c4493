import Decisions
package import JobModel
import JobTransport
import Logging

/// Messages that the broker took off their queues, and that came back, by cause; and how often a queue was gone with its
/// messages.
final class DeadLetterCounts {
  private(set) var counts: [DeadLetterCause: Int] = [:]
  /// The most causes that are told apart: a queue for each department and kind, and few reasons.
  static let limit = 256

  /// - Returns: The causes that are counted separately; beyond the limit a new cause is not.
  func add(_ causes: [DeadLetterCause]) -> [DeadLetterCause] {
    causes.filter { cause in
      guard counts[cause] != nil || counts.count < Self.limit else { return false }
      counts[cause, default: 0] += 1
      return true
    }
  }

  /// In a fixed order; nil: there was none.
  var list: [DeadLetterCount]? {
    if counts.isEmpty { return nil }
    return counts.sorted { ($0.key.queue, $0.key.reason) < ($1.key.queue, $1.key.reason) }
      .map { DeadLetterCount($0.key, count: $0.value) }
  }

  /// For people: how many came back, of which queue, and why.
  var text: String {
    (list ?? []).filter { $0.reason != DeadLetterCause.missing }
      .map { "\($0.count) of \($0.queue): \($0.reason)" }.joined(separator: "; ")
  }
}

extension Bookkeeper {
  /// Queues were gone, with what waited in them: shown in the status, and by the same metric. Nothing of it comes back.
  package func noteMissing(queues: [String]) {
    countCauses(queues.map { DeadLetterCause(queue: $0, reason: DeadLetterCause.missing) })
  }

  /// Messages that the broker took off their queues have come back: warned of in the log, the health, the status, and by a
  /// metric.
  package func noteDeadLetters(_ causes: [DeadLetterCause]) {
    if causes.isEmpty { return }
    countCauses(causes)
    board.warn("dead_letters", "messages left their queues too early, and these came back: \(parts.deadLetters.text)")
    let sums = causes.reduce(into: [DeadLetterCause: Int]()) { $0[$1, default: 0] += 1 }
    for (cause, count) in sums {
      parts.refusals.note(
        .deadLetter, "\(count) of \(cause.queue), as \(cause.reason): \(cause.advice); they are taken back", .warning)
    }
  }

  private func countCauses(_ causes: [DeadLetterCause]) { metrics.count(parts.deadLetters.add(causes)) }
}
