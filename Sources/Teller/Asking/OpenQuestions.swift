import AMQP
import Synchronization

/// The questions of a client that are not answered yet, by their correlation id.
final class OpenQuestions: Sendable {
  /// The connection is lost, and the answer with it: ask again.
  struct Interrupted: Error {}

  /// How the correlation id of a question begins; that of a submission is the job's id.
  private static let prefix = "question-"

  private struct State {
    var open: [String: OneShot<Delivery>] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Adds a question: its correlation id, and the answer that will come.
  func begin() -> (id: String, answer: OneShot<Delivery>) {
    state.withLock { state in
      state.last += 1
      let id = OpenQuestions.prefix + String(state.last)
      let answer = OneShot<Delivery>()
      state.open[id] = answer
      return (id, answer)
    }
  }

  func end(_ id: String) {
    state.withLock { $0.open[id] = nil }
  }

  /// Takes in an answer.
  ///
  /// - Returns: whether the delivery answers a question; also a question that has ended in the meantime.
  func receive(_ delivery: Delivery) -> Bool {
    guard let id = delivery.properties.correlationID else { return false }
    let answer = state.withLock { $0.open.removeValue(forKey: id) }
    answer?.fulfil(.success(delivery))
    return answer != nil || id.hasPrefix(OpenQuestions.prefix)
  }

  func interruptAll() {
    let open = state.withLock { state in
      defer { state.open = [:] }
      return state.open
    }
    for answer in open.values { answer.fulfil(.failure(Interrupted())) }
  }
}
