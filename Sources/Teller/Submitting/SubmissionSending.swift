import AMQP
import JobTransport

extension ClientCore {
  /// The most messages that are handed to the connection at once.
  static let submissionBatch = 1_024

  /// Sends messages, and sends them again as often as necessary, until the broker has confirmed every one.
  ///
  /// - Throws: a `TellerError` when no message was confirmed for `timeouts.submit`.
  func submit(_ packs: [SubmissionPacks.Pack]) async throws {
    openSubmissions.begin()
    defer { openSubmissions.end() }
    let count = packs.reduce(0) { $0 + $1.count }
    var (rest, submitted) = (packs[...], 0)
    while !rest.isEmpty {
      let batch = rest.prefix(ClientCore.submissionBatch)
      do {
        try await submit(batch: batch.map(\.message))
      } catch let error as TellerError where count > 1 {
        throw TellerError.incomplete(submitted: submitted, of: count, reason: error)
      }
      submitted += batch.reduce(0) { $0 + $1.count }
      rest = rest.dropFirst(batch.count)
    }
  }

  private func submit(batch: [Publishing]) async throws {
    var rest = batch
    while !rest.isEmpty {
      let obstacle = Obstacle(waited: timeouts.submit)
      let messages = rest
      rest = try await within(timeouts.submit, orThrow: obstacle.error) {
        try await self.send(messages, obstacle)
      }
    }
  }

  /// Sends messages until at least one is confirmed.
  ///
  /// - Returns: the others.
  private func send(_ messages: [Publishing], _ obstacle: Obstacle) async throws -> [Publishing] {
    var backOff = BackOff.resending
    var lastLink = 0
    while true {
      let link = try await links.next(after: lastLink)
      do {
        let results = try await link.publish(messages)
        let refused = zip(messages, results).filter { $1 != .confirmed }
        obstacle.met(refused.last?.1)
        if refused.count < messages.count { return refused.map(\.0) }
      } catch let error as AMQPError {
        if case .invalid(let reason) = error { throw TellerError.invalid(reason: reason) }
        // The messages may have arrived; the coordinator knows a job that comes again by its id.
        lastLink = link.number
        obstacle.met(error)
      }
      try await Task.sleep(for: backOff.next())
    }
  }
}
