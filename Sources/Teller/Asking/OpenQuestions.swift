import AMQP
import JobTransport
import Synchronization

/// The questions of a client that are not answered yet, by their correlation id.
final class OpenQuestions: Sendable {
  /// The connection that the answer would have come on is lost: ask again.
  struct Interrupted: Error {}

  /// What the ids of questions begin with; those of submissions are the ids of their jobs.
  private static let prefix = "question-"

  private struct State {
    var open: [String: OneShot<Delivery>] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A new question: its correlation id, and where its answer will be.
  func open() -> (id: String, answer: OneShot<Delivery>) {
    state.withLock { state in
      state.last += 1
      let id = OpenQuestions.prefix + String(state.last)
      let answer = OneShot<Delivery>()
      state.open[id] = answer
      return (id, answer)
    }
  }

  func close(_ id: String) {
    state.withLock { $0.open[id] = nil }
  }

  /// Whether the delivery is the answer to one of them, or to an earlier one: an answer that comes after its asker has
  /// gone is as it should be, and nothing to be told of.
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

extension ClientCore {
  /// Asks a coordinator and waits for the answer; asks again when the connection is lost meanwhile.
  ///
  /// - Parameters:
  ///   - limit: how long to try and wait, all in all.
  ///   - question: makes the message, given where it is answered, and how long that is still waited for.
  /// - Returns: the answer as it came.
  /// - Throws: a `TellerError` that says what stood in the way, or `CancellationError`.
  func ask(
    within limit: Duration, _ question: @escaping @Sendable (AnswerAddress, _ left: Duration) -> Publishing
  ) async throws -> Delivery {
    let obstacle = Obstacle(waited: limit)
    let deadline = ContinuousClock.now + limit
    return try await Teller.within(limit, orThrow: obstacle.error) {
      var backOff = BackOff.resending
      while true {
        do {
          if let answer = try await self.askOnce(question, until: deadline, obstacle) { return answer }
        } catch let error as AMQPError {
          obstacle.met(error)
        } catch is OpenQuestions.Interrupted {
          // The next round waits for the next connection.
        }
        try await pause(for: backOff.next())
      }
    }
  }

  /// - Returns: nil when the question was refused: too many are waiting.
  private func askOnce(
    _ question: @Sendable (AnswerAddress, Duration) -> Publishing, until deadline: ContinuousClock.Instant,
    _ obstacle: Obstacle
  ) async throws -> Delivery? {
    let link = try await links.current
    let (id, answer) = questions.open()
    defer { questions.close(id) }
    // Opened after the connection was lost, nobody would interrupt it.
    guard links.present?.number == link.number else { throw OpenQuestions.Interrupted() }
    let address = AnswerAddress(replyTo: replyQueue, correlationID: id)
    let result = try await link.publish([question(address, ContinuousClock.now.duration(to: deadline))]).first
    obstacle.met(result)
    guard result == .confirmed else { return nil }
    obstacle.met(.noCoordinator(silentFor: obstacle.waited))
    return try await answer.value
  }
}
